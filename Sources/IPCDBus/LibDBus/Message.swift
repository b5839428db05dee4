internal import CLibDBus

/// One D-Bus message; owns a reference to libdbus's.
///
/// libdbus counts references atomically, and a message is written by its maker only before it is sent, so handing one
/// from thread to thread is safe.
public final class Message: @unchecked Sendable {
    let handle: OpaquePointer
    /// A bound for the bytes of the header: three names, and a path that nothing else limits.
    private(set) var headerBound = 1024

    public enum Kind: CInt, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    private init(adopting handle: OpaquePointer?) throws(MessageError) {
        guard let handle else { throw .outOfMemory }
        self.handle = handle
    }

    /// A further reference to a message that libdbus hands to a callback.
    init(retaining handle: OpaquePointer) { self.handle = dbus_message_ref(handle) }

    deinit { dbus_message_unref(handle) }

    static func methodCall(
        to destination: BusName?, path: ObjectPath, interface: InterfaceName?, member: MemberName
    ) throws(MessageError) -> Message {
        let message = try Message(
            adopting: dbus_message_new_method_call(destination?.text, path.text, interface?.text, member.text))
        message.headerBound += path.text.utf8.count
        return message
    }

    static func methodReturn(for call: Message) throws(MessageError) -> Message {
        try Message(adopting: dbus_message_new_method_return(call.handle))
    }

    /// - Parameter text: for people; a NUL in it, which a D-Bus string cannot carry, becomes U+FFFD.
    static func error(for call: Message, name: ErrorName, text: String) throws(MessageError) -> Message {
        let carried = text.utf8.contains(0) ? String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) : text
        return try Message(adopting: dbus_message_new_error(call.handle, name.text, carried))
    }

    static func signal(
        path: ObjectPath, interface: InterfaceName, member: MemberName, to destination: BusName?
    ) throws(MessageError) -> Message {
        let message = try Message(adopting: dbus_message_new_signal(path.text, interface.text, member.text))
        message.headerBound += path.text.utf8.count
        if let destination, dbus_message_set_destination(message.handle, destination.text) == 0 { throw .outOfMemory }
        return message
    }

    public var kind: Kind? { Kind(rawValue: dbus_message_get_type(handle)) }
    public var serial: UInt32 { dbus_message_get_serial(handle) }
    public var replySerial: UInt32 { dbus_message_get_reply_serial(handle) }
    public var expectsReply: Bool { dbus_message_get_no_reply(handle) == 0 }
    /// Stamped by the bus, so it cannot be forged there; absent on a peer-to-peer connection.
    public var sender: BusName? { dbus_message_get_sender(handle).map { BusName(trusted: String(cString: $0)) } }
    public var path: ObjectPath? { dbus_message_get_path(handle).map { ObjectPath(trusted: String(cString: $0)) } }
    public var interface: String? { dbus_message_get_interface(handle).map { String(cString: $0) } }
    public var member: String? { dbus_message_get_member(handle).map { String(cString: $0) } }
    public var errorName: String? { dbus_message_get_error_name(handle).map { String(cString: $0) } }
    /// The types of the body.
    public var signature: String { String(cString: dbus_message_get_signature(handle)) }

    func setExpectsReply(_ expects: Bool) { dbus_message_set_no_reply(handle, expects ? 0 : 1) }
    func setStartsService(_ starts: Bool) { dbus_message_set_auto_start(handle, starts ? 1 : 0) }

    /// Whether this is the signal that libdbus makes up when a connection has ended.
    var saysDisconnected: Bool {
        dbus_message_is_signal(handle, "org.freedesktop.DBus.Local", "Disconnected") != 0
    }

    /// The text of an error reply: its first argument, if that is a string.
    var errorText: String {
        var reader = MessageReader(self)
        return (try? String(from: &reader)) ?? ""
    }
}
