import IPCTesting
import Testing

/// Another library, which knows only message buses, on a direct connection.
@Suite(.privateBus)
struct GDBusDirectTests {
    private static let script = #"""
        import os
        from gi.repository import Gio, GLib

        NAME, PATH = "org.swiftipc.Broker1", "/org/swiftipc/Broker1"
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        none = GLib.Variant("(a{sv})", ({},))
        reply, descriptors = bus.call_with_unix_fd_list_sync(
            NAME, PATH, "org.swiftipc.Broker1", "Connect", none, None, 0, 20_000, None, None)
        descriptor = descriptors.get(reply.unpack()[0])
        flags = Gio.DBusConnectionFlags
        direct = Gio.DBusConnection.new_for_address_sync(
            f"unix:path=/proc/self/fd/{descriptor}", flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
        os.close(descriptor)
        print(direct.get_unique_name() == bus.get_unique_name())
        items = [[("text/plain", GLib.Variant("s", "by the short way"))]]
        made = direct.call_sync(NAME, PATH, "org.swiftipc.Pasteboards1", "GetPasteboard",
                                GLib.Variant("(sa{sv})", ("short", {"create": GLib.Variant("b", True)})),
                                None, 0, 20_000, None).unpack()[0]
        direct.call_sync(NAME, made, "org.swiftipc.Pasteboard1", "SetItems",
                         GLib.Variant("(aa(sv)a{sv})", (items, {})), None, 0, 20_000, None)
        count, read, facts = bus.call_sync(NAME, made, "org.swiftipc.Pasteboard1", "GetItems", none,
                                           None, 0, 20_000, None).unpack()
        print(read)

        """#

    @Test func `Hello returns the caller's name, and calls work in both directions`() async throws {
        _ = try await BrokerProcess.start()
        let output = try await RunningProcess.run(
            "/usr/bin/python3", ["-B", "-c", Self.script], environment: try PrivateBus.current.environment
        ).succeeded().output
        #expect(output == "True\n[[('text/plain', 'by the short way')]]\n")
    }
}
