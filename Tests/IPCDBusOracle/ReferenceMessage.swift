internal import CLibDBus
internal import Glibc
internal import IPCDBus

/// A message as read by libdbus, with accessors for the comparison.
final class ReferenceMessage {
    let pointer: OpaquePointer

    /// Takes over the caller's reference to a libdbus message.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Reads bytes without descriptors; `nil` if libdbus does not accept them as one whole message.
    convenience init?(_ bytes: [UInt8]) {
        let pointer = bytes.withUnsafeBytes { bytes in
            dbus_message_demarshal(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count), nil)
        }
        guard let pointer else { return nil }
        self.init(owning: pointer)
    }

    deinit { dbus_message_unref(pointer) }

    /// The length of the message that starts with these bytes; 0 if more bytes are needed to know it, `nil` if no
    /// message starts like this.
    static func length(_ bytes: [UInt8]) -> Int? {
        let length = bytes.withUnsafeBytes { bytes in
            dbus_message_demarshal_bytes_needed(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count))
        }
        return length < 0 ? nil : Int(length)
    }

    /// Why libdbus rejects the bytes, for the report.
    static func refusal(_ bytes: [UInt8]) -> String {
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        let message = bytes.withUnsafeBytes { bytes in
            dbus_message_demarshal(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count), &error)
        }
        if let message { dbus_message_unref(message) }
        return error.message.map { String(cString: $0) } ?? "accepted"
    }

    var iterator: DBusMessageIter {
        var iterator = DBusMessageIter()
        _ = dbus_message_iter_init(pointer, &iterator)
        return iterator
    }

    var signature: String { String(cString: dbus_message_get_signature(pointer)) }

    /// The bytes of the whole message, as libdbus writes it.
    func marshalled() -> [UInt8]? {
        var (bytes, count): (UnsafeMutablePointer<CChar>?, CInt) = (nil, 0)
        dbus_message_set_serial(pointer, 1)
        guard dbus_message_marshal(pointer, &bytes, &count) != 0, let bytes else { return nil }
        defer { dbus_free(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }

    /// Describes the first difference between the header that libdbus has read and ours; `nil` if there is none.
    func difference(_ message: Message) -> String? {
        let pairs: [(String, UnsafePointer<CChar>?, String?)] = [
            ("path", dbus_message_get_path(pointer), message.path?.text),
            ("interface", dbus_message_get_interface(pointer), message.interface),
            ("member", dbus_message_get_member(pointer), message.member),
            ("error name", dbus_message_get_error_name(pointer), message.errorName),
            ("destination", dbus_message_get_destination(pointer), message.destination?.text),
            ("sender", dbus_message_get_sender(pointer), message.sender?.text),
            ("signature", dbus_message_get_signature(pointer), message.signature),
        ]
        for (name, theirs, ours) in pairs where !isSame(theirs, ours) { return "the \(name) differs" }
        guard dbus_message_get_serial(pointer) == message.serial else { return "the serial differs" }
        guard dbus_message_get_reply_serial(pointer) == message.replySerial else { return "the reply serial differs" }
        guard dbus_message_get_type(pointer) == CInt(message.bytes[1]) else { return "the kind differs" }
        guard dbus_message_get_no_reply(pointer) == (message.expectsReply ? 0 : 1) else { return "the flags differ" }
        return nil
    }
}

/// Whether a C string, or `nil`, equals a Swift string.
func isSame(_ theirs: UnsafePointer<CChar>?, _ ours: String?) -> Bool {
    guard let theirs, var ours else { return theirs == nil && ours == nil }
    return ours.withUTF8 { ours in
        guard ours.count == strlen(theirs), let start = ours.baseAddress else { return ours.isEmpty && theirs[0] == 0 }
        return memcmp(start, theirs, ours.count) == 0
    }
}
