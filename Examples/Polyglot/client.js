#!/usr/bin/env -S LC_ALL=C.UTF-8 gjs -m
// A client in JavaScript, with GJS: client.js URL TEXT
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

const [url, text] = ARGV;
const items = new GLib.Variant('aa(sv)', [[['text/plain;charset=utf-8', new GLib.Variant('s', text)]]]);
// The call throws, and the program ends, if the request was not accepted; then no handler was called.
const [result] = Gio.DBus.session.call_sync(
    'org.swiftipc.Broker1', '/org/swiftipc/Broker1', 'org.swiftipc.URLs1', 'OpenURL',
    new GLib.Variant('(sa{sv})', [url, {items}]), null, Gio.DBusCallFlags.NONE, 30000, null
).recursiveUnpack();
if (result.outcome !== 'handled') {
    printerr(result.outcome);
    System.exit(1);
}
print(result.items[0][0][1]);
