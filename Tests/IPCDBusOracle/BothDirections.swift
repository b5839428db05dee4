internal import CLibDBus
internal import IPCDBus

/// Writes the same values with IPCDBus and with libdbus, and lets each read the other's output.
enum BothDirections {
    static func difference(_ original: Message, _ values: [Value]) -> String? {
        let ours: Message
        do throws(MessageError) {
            ours = try Message.signal(
                path: "/a", interface: "a.b", member: "M", to: nil, signature: original.signature
            ) { (writer) throws(MessageError) in
                for value in values { try value.writeContent(to: &writer) }
            }
        } catch { return "IPCDBus does not write what it has read: \(error)" }
        ours.setSerial(1)
        let body = Array(ours.bytes[ours.bodyStart...])
        // Each value has only one encoding, so IPCDBus must write the same bytes that it has read.
        if original.bytes[0] == UInt8(ascii: "l"), !body.elementsEqual(original.bytes[original.bodyStart...]) {
            return "the bytes that IPCDBus writes differ from those that it has read"
        }
        guard let read = ReferenceMessage(Array(ours.bytes)) else {
            return "libdbus does not read what IPCDBus writes: \(ReferenceMessage.refusal(Array(ours.bytes)))"
        }
        guard let again = Reading(Array(ours.bytes)).message else { return "IPCDBus does not read what it writes" }
        if let difference = read.difference(again) ?? ValueComparison.difference(values, read) {
            return "what libdbus reads differs from what IPCDBus has written: \(difference)"
        }
        return theirDifference(body, values)
    }

    private static func theirDifference(_ body: [UInt8], _ values: [Value]) -> String? {
        guard let bytes = ReferenceWriter.message(values)?.marshalled() else {
            return "libdbus does not write the values"
        }
        let reading = Reading(bytes)
        guard let message = reading.message else {
            return "IPCDBus does not read what libdbus writes: \(reading.error.map(\.description) ?? "")"
        }
        guard message.bytes[message.bodyStart...].elementsEqual(body) else {
            return "IPCDBus and libdbus write the same values as other bytes"
        }
        return nil
    }
}

/// Writes values with libdbus's iterators.
enum ReferenceWriter {
    static func message(_ values: [Value]) -> ReferenceMessage? {
        guard let pointer = dbus_message_new_signal("/a", "a.b", "M") else { return nil }
        let message = ReferenceMessage(owning: pointer)
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(pointer, &iterator)
        return values.allSatisfy { append($0, &iterator) } ? message : nil
    }

    private static func append(_ value: Value, _ iterator: inout DBusMessageIter) -> Bool {
        switch value {
        case .byte(let value): number("y", value, &iterator)
        case .boolean(let value): number("b", UInt32(value ? 1 : 0), &iterator)
        case .int16(let value): number("n", value, &iterator)
        case .uint16(let value): number("q", value, &iterator)
        case .int32(let value): number("i", value, &iterator)
        case .uint32(let value): number("u", value, &iterator)
        case .int64(let value): number("x", value, &iterator)
        case .uint64(let value): number("t", value, &iterator)
        case .double(let value): number("d", value, &iterator)
        case .descriptor(let value): number("h", value.rawValue, &iterator)
        case .string(let value): text("s", value, &iterator)
        case .objectPath(let value): text("o", value.text, &iterator)
        case .signature(let value): text("g", value.text, &iterator)
        case .bytes(let values): container("a", "y", &iterator) { inside in bytes(values, &inside) }
        case .array(let type, let values):
            container("a", type.text, &iterator) { inside in values.allSatisfy { append($0, &inside) } }
        case .structure(let fields):
            container("r", nil, &iterator) { inside in fields.allSatisfy { append($0, &inside) } }
        case .variant(let value):
            container("v", value.signature.text, &iterator) { inside in append(value, &inside) }
        case .dictionary(let key, let type, let entries):
            container("a", "{\(key)\(type)}", &iterator) { inside in
                entries.allSatisfy { entry in
                    container("e", nil, &inside) { append(entry.key, &$0) && append(entry.value, &$0) }
                }
            }
        }
    }

    private static func number<Number: BitwiseCopyable>(
        _ type: Unicode.Scalar, _ value: Number, _ iterator: inout DBusMessageIter
    ) -> Bool {
        withUnsafePointer(to: value) { dbus_message_iter_append_basic(&iterator, CInt(type.value), $0) != 0 }
    }

    private static func text(_ type: Unicode.Scalar, _ value: String, _ iterator: inout DBusMessageIter) -> Bool {
        value.withCString { text in
            withUnsafePointer(to: text) { dbus_message_iter_append_basic(&iterator, CInt(type.value), $0) != 0 }
        }
    }

    private static func bytes(_ values: [UInt8], _ iterator: inout DBusMessageIter) -> Bool {
        values.withUnsafeBufferPointer { values in
            guard let start = values.baseAddress, values.count > 0 else { return true }
            return withUnsafePointer(to: start) {
                dbus_message_iter_append_fixed_array(&iterator, CInt(UInt8(ascii: "y")), $0, CInt(values.count)) != 0
            }
        }
    }

    private static func container(
        _ type: Unicode.Scalar, _ content: String?, _ iterator: inout DBusMessageIter,
        _ write: (inout DBusMessageIter) -> Bool
    ) -> Bool {
        var inside = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, CInt(type.value), content, &inside) != 0 else { return false }
        return write(&inside) && dbus_message_iter_close_container(&iterator, &inside) != 0
    }
}
