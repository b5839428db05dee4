internal import CLibDBus
internal import Glibc
internal import IPCDBus

/// Compares values read by IPCDBus with libdbus's iterators.
enum ValueComparison {
    /// The difference between our arguments and those of libdbus.
    static func difference(_ values: [Value], _ reference: ReferenceMessage) -> String? {
        var iterator = reference.iterator
        return difference(values, &iterator)
    }

    private static func difference(_ values: [Value], _ iterator: inout DBusMessageIter) -> String? {
        for value in values {
            if let difference = difference(value, &iterator) { return difference }
            dbus_message_iter_next(&iterator)
        }
        return dbus_message_iter_get_arg_type(&iterator) == 0 ? nil : "libdbus has more values"
    }

    private static func difference(_ value: Value, _ iterator: inout DBusMessageIter) -> String? {
        let type = UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&iterator))
        let isSame: Bool? =
            switch (value, type) {
            case (.byte(let ours), UInt8(ascii: "y")): ours == number(&iterator)
            case (.boolean(let ours), UInt8(ascii: "b")): number(&iterator) as UInt32 == (ours ? 1 : 0)
            case (.int16(let ours), UInt8(ascii: "n")): ours == number(&iterator)
            case (.uint16(let ours), UInt8(ascii: "q")): ours == number(&iterator)
            case (.int32(let ours), UInt8(ascii: "i")): ours == number(&iterator)
            case (.uint32(let ours), UInt8(ascii: "u")): ours == number(&iterator)
            case (.int64(let ours), UInt8(ascii: "x")): ours == number(&iterator)
            case (.uint64(let ours), UInt8(ascii: "t")): ours == number(&iterator)
            case (.double(let ours), UInt8(ascii: "d")): ours.bitPattern == number(&iterator)
            case (.string(let ours), UInt8(ascii: "s")): isSameText(ours, &iterator)
            case (.objectPath(let ours), UInt8(ascii: "o")): isSameText(ours.text, &iterator)
            case (.signature(let ours), UInt8(ascii: "g")): isSameText(ours.text, &iterator)
            case (.descriptor(let ours), UInt8(ascii: "h")): isSameFile(ours.rawValue, &iterator)
            default: nil
            }
        if let isSame { return isSame ? nil : "a value of type \(Unicode.Scalar(type)) differs" }
        return containerDifference(value, type, &iterator)
    }

    private static func containerDifference(
        _ value: Value, _ type: UInt8, _ iterator: inout DBusMessageIter
    ) -> String? {
        var inside = DBusMessageIter()
        switch (value, type) {
        case (.bytes(let ours), UInt8(ascii: "a")):
            var (start, count): (UnsafePointer<UInt8>?, CInt) = (nil, 0)
            guard dbus_message_iter_get_element_type(&iterator) == CInt(UInt8(ascii: "y")) else { return "ay differs" }
            dbus_message_iter_recurse(&iterator, &inside)
            dbus_message_iter_get_fixed_array(&inside, &start, &count)
            return ours.elementsEqual(UnsafeBufferPointer(start: start, count: Int(count))) ? nil : "ay differs"
        case (.array(_, let ours), UInt8(ascii: "a")):
            dbus_message_iter_recurse(&iterator, &inside)
            return difference(ours, &inside)
        case (.structure(let ours), UInt8(ascii: "r")):
            dbus_message_iter_recurse(&iterator, &inside)
            return difference(ours, &inside)
        case (.dictionary(_, _, let ours), UInt8(ascii: "a")):
            dbus_message_iter_recurse(&iterator, &inside)
            for entry in ours {
                guard dbus_message_iter_get_arg_type(&inside) == CInt(UInt8(ascii: "e")) else {
                    return "an entry is missing"
                }
                var pair = DBusMessageIter()
                dbus_message_iter_recurse(&inside, &pair)
                if let difference = difference([entry.key, entry.value], &pair) { return difference }
                dbus_message_iter_next(&inside)
            }
            return dbus_message_iter_get_arg_type(&inside) == 0 ? nil : "libdbus has more entries"
        case (.variant(let ours), UInt8(ascii: "v")):
            dbus_message_iter_recurse(&iterator, &inside)
            let signature = dbus_message_iter_get_signature(&inside)
            defer { dbus_free(signature) }
            guard isSame(signature, ours.signature.text) else { return "the type in a variant differs" }
            return difference([ours], &inside)
        default: return "the type of a value differs"
        }
    }

    private static func number<Number: FixedWidthInteger>(_ iterator: inout DBusMessageIter) -> Number {
        var number: Number = 0
        dbus_message_iter_get_basic(&iterator, &number)
        return number
    }

    private static func isSameText(_ ours: String, _ iterator: inout DBusMessageIter) -> Bool {
        var text: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &text)
        return isSame(text, ours)
    }

    private static func isSameFile(_ ours: CInt, _ iterator: inout DBusMessageIter) -> Bool {
        var theirs: CInt = -1
        dbus_message_iter_get_basic(&iterator, &theirs)
        defer { close(theirs) }
        var (one, other) = (stat(), stat())
        guard fstat(ours, &one) == 0, fstat(theirs, &other) == 0 else { return false }
        return one.st_ino == other.st_ino && one.st_dev == other.st_dev
    }
}
