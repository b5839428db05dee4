#!/usr/bin/env -S LC_ALL=C.UTF-8 gjs -m
// A handler in JavaScript, with GJS. It prints the URL and the text of each request, and answers.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
const bus = Gio.DBus.session;
const call = (name, path, member, variant) =>
    bus.call_sync(name, path, ...member, variant, null, Gio.DBusCallFlags.NONE, -1, null).recursiveUnpack();
const ask = (member, variant) =>
    call('org.freedesktop.DBus', '/org/freedesktop/DBus', ['org.freedesktop.DBus', member], variant);
const handler = Gio.DBusExportedObject.wrapJSObject(`<node><interface name="org.swiftipc.URLHandler1">
    <method name="OpenURL"><arg type="s"/><arg type="s"/><arg type="a{sv}"/>
        <arg type="s" direction="out"/><arg type="a{sv}" direction="out"/></method>
    <method name="CancelURL"><arg type="s"/></method></interface></node>`, {
    OpenURLAsync([, url, context], invocation) {
        if (invocation.get_sender() !== ask('GetNameOwner', new GLib.Variant('(s)', ['org.swiftipc.Broker1']))[0])
            return invocation.return_dbus_error('org.freedesktop.DBus.Error.AccessDenied', 'not the broker');
        const text = context.items?.recursiveUnpack()[0]?.[0][1] ?? '';
        print(`${url}\n${text}`);
        const reply = [[['text/plain;charset=utf-8', new GLib.Variant('s', `JavaScript has: ${text}`)]]];
        const items = new GLib.Variant('aa(sv)', reply);
        invocation.return_value(new GLib.Variant('(sa{sv})', ['handled', {items}]));
    }, CancelURL() {}, // answers are immediate, so there is nothing to cancel
});
handler.export(bus, '/demo/polyglot/JavaScript'); // the order matters: object, name, scheme
ask('RequestName', new GLib.Variant('(su)', ['demo.polyglot.JavaScript', 4]));
call('org.swiftipc.Broker1', '/org/swiftipc/Broker1', ['org.swiftipc.Schemes1', 'Register'],
    new GLib.Variant('(sasa{sv})', ['demo.polyglot.JavaScript', ['polyglot.javascript'], {}]));
print('listening as demo.polyglot.JavaScript for polyglot.javascript');
new GLib.MainLoop(null, false).run();
