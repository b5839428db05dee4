#!/usr/bin/env -S LC_ALL=C.UTF-8 gjs -m
// Reverses a list: reverse.js LIST. The JSON contains the ids as strings, so they stay exact. JavaScript would round a
// JSON number above 2^53 to the nearest double.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

const call = (path, face, member, type, input) => Gio.DBus.session.call_sync(
    'org.swiftipc.Broker1', path, `org.swiftipc.${face}`, member, new GLib.Variant(type, input), null,
    Gio.DBusCallFlags.NONE, 30000, null);
const [path] = call('/org/swiftipc/Broker1', 'Pasteboards1', 'GetPasteboard', '(sa{sv})',
    [`com.example.Playlist.${ARGV[0]}`, {}]).recursiveUnpack();

const answer = call(path, 'Pasteboard1', 'GetItems', '(a{sv})', [{}]);
const [, items] = answer.recursiveUnpack();
const [, value] = items[0].find(([type]) => type === 'application/json');
const playlist = JSON.parse(typeof value === 'string' ? value : new TextDecoder().decode(value));
playlist.entries.reverse();
// Write only if no other program has changed the list in the meantime. The change count stays a variant, because a JavaScript
// number could round it.
const turned = new GLib.Variant('s', JSON.stringify(playlist));
call(path, 'Pasteboard1', 'SetItems', '(aa(sv)a{sv})',
    [[[['application/json', turned]]], {'if-change-count': answer.get_child_value(0)}]);
