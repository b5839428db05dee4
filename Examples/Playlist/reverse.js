#!/usr/bin/env -S LC_ALL=C.UTF-8 gjs -m
// Reverses a list: reverse.js LIST. The JSON contains the ids as strings, so they stay exact. JavaScript would round a
// JSON number above 2^53 to the nearest double.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

const call = (path, face, member, type, input) => Gio.DBus.session.call_sync(
    'org.swiftipc.Broker1', path, `org.swiftipc.${face}`, member, new GLib.Variant(type, input), null,
    Gio.DBusCallFlags.NONE, 30000, null);
const reverse = name => {
    const [path] = call('/org/swiftipc/Broker1', 'Pasteboards1', 'GetPasteboard', '(sa{sv})',
        [name, {}]).recursiveUnpack();

    const answer = call(path, 'Pasteboard1', 'GetItems', '(a{sv})', [{}]);
    const [, items] = answer.recursiveUnpack();
    const [, value] = items[0].find(([type]) => type === 'application/json');
    const playlist = JSON.parse(typeof value === 'string' ? value : new TextDecoder().decode(value));
    playlist.entries.reverse();
    // Write only if no other program has changed the list in the meantime. The change count stays a variant, because a
    // JavaScript number could round it.
    const turned = new GLib.Variant('s', JSON.stringify(playlist));
    call(path, 'Pasteboard1', 'SetItems', '(aa(sv)a{sv})',
        [[[['application/json', turned]]], {'if-change-count': answer.get_child_value(0)}]);
};

// Prints the reason, and exits.
const fail = reason => {
    printerr(reason);
    System.exit(1);
};
if (ARGV.length !== 1)
    fail('usage: reverse.js LIST');
const name = `com.example.Playlist.${ARGV[0]}`;
try {
    reverse(name);
} catch (error) {
    if (!(error instanceof GLib.Error))
        fail(`reverse.js: the pasteboard “${name}” does not contain a list`);
    const missing = Gio.DBusError.get_remote_error(error)?.endsWith('NoSuchPasteboard');
    Gio.DBusError.strip_remote_error(error);
    fail(`reverse.js: ${missing ? `there is no pasteboard “${name}”` : error.message}`);
}
