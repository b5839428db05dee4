internal import CLibDBus
internal import Glibc
internal import IPCDBus

/// The inputs that IPCDBus and libdbus 1.14 judge differently on purpose, each with its clause of the specification.
package enum IntendedDifference: String, CaseIterable, Sendable {
    case descriptorIndex, nestedArrays, containerDepth, uniqueName, localPrefix, containerInstance

    package var reason: String {
        switch self {
        case .descriptorIndex:
            """
            “Basic types”: a UNIX_FD is an index into the descriptors that come with the message. IPCDBus rejects an index beyond \
            them, because a value that cannot be read has to be found before a call begins. libdbus reads it as -1.
            """
        case .nestedArrays:
            """
            “Valid Signatures”: at most 32 array type codes may be nested. IPCDBus counts all that enclose a type. libdbus counts \
            anew in each structure, so it accepts aa(aa(…)) with 34 of them.
            """
        case .containerDepth:
            """
            “Marshaling”, variants: a message is at most 64 containers deep. IPCDBus counts every array. libdbus does not count an \
            array in which it has nothing to look at: an empty one, and one of numbers.
            """
        case .uniqueName:
            """
            “Bus names”: a name has at least two elements, and no element is empty. libdbus accepts :, :1 and :.a in a header.
            """
        case .localPrefix:
            """
            “Message Types”: /org/freedesktop/DBus/Local and org.freedesktop.DBus.Local are reserved. libdbus also rejects every \
            longer name that begins with one of them, such as org.freedesktop.DBus.Local2.
            """
        case .containerInstance:
            """
            “Header Fields”: unknown fields are ignored, and field 10 is not in the specification. libdbus 1.14 reserves it for an \
            object path, and rejects other types.
            """
        }
    }

    /// The reasons why IPCDBus rejects a message that libdbus accepts.
    static func rejections(_ reference: ReferenceMessage, descriptorCount: Int) -> Set<IntendedDifference> {
        var search = Search(descriptorCount: descriptorCount)
        search.note(reference.signature)
        var iterator = reference.iterator
        search.look(&iterator, depth: 0)
        for name in [dbus_message_get_destination(reference.pointer), dbus_message_get_sender(reference.pointer)] {
            if let name, name[0] == CChar(UInt8(ascii: ":")), !isUniqueName(String(cString: name)) {
                search.found.insert(.uniqueName)
            }
        }
        return search.found
    }

    /// Whether a name that starts with a colon and has only valid characters follows the clause “Bus names”.
    private static func isUniqueName(_ name: String) -> Bool {
        let elements = name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        return elements.count >= 2 && elements.allSatisfy { !$0.isEmpty }
    }

    /// The reason why libdbus rejects a message that IPCDBus accepts.
    ///
    /// - Parameter isAccepted: tells whether libdbus accepts a changed copy of the message.
    static func acceptance(
        _ bytes: [UInt8], _ message: Message, isAccepted: ([UInt8]) -> Bool = { ReferenceMessage($0) != nil }
    ) -> IntendedDifference? {
        let isLocal =
            message.path.map { $0.text.utf8.count > 27 && $0.text.hasPrefix("/org/freedesktop/DBus/Local") } ?? false
            || message.interface.map { $0.utf8.count > 26 && $0.hasPrefix("org.freedesktop.DBus.Local") } ?? false
        if isLocal { return .localPrefix }
        return hasContainerInstance(bytes, bodyStart: message.bodyStart, isAccepted) ? .containerInstance : nil
    }

    /// Whether libdbus accepts the message if its header field 10 gets another number. The position of the field is
    /// unknown here, so all candidates are tried.
    private static func hasContainerInstance(
        _ bytes: [UInt8], bodyStart: Int, _ isAccepted: ([UInt8]) -> Bool
    ) -> Bool {
        let places = stride(from: 16, to: bodyStart, by: 8).filter { bytes[$0] == 10 }.prefix(8)
        return (0..<(1 << places.count)).contains { choice in
            var other = bytes
            for (index, place) in places.enumerated() where choice >> index & 1 == 1 { other[place] = 200 }
            return isAccepted(other)
        }
    }

    /// Searches a message with libdbus's iterators.
    private struct Search {
        let descriptorCount: Int
        var found: Set<IntendedDifference> = []

        mutating func note(_ signature: String) {
            if Self.mostNestedArrays(signature) > 32 { found.insert(.nestedArrays) }
        }

        /// The maximum number of arrays around any type of a valid signature.
        private static func mostNestedArrays(_ signature: String) -> Int {
            var (most, arrays) = (0, 0)
            var outside: [Int] = []
            for code in signature.utf8 {
                switch code {
                case UInt8(ascii: "a"):
                    arrays += 1
                    most = max(most, arrays)
                    continue
                case UInt8(ascii: "("), UInt8(ascii: "{"):
                    outside.append(arrays)
                    continue
                case UInt8(ascii: ")"), UInt8(ascii: "}"): _ = outside.popLast()
                default: break
                }
                arrays = outside.last ?? 0
            }
            return most
        }

        mutating func look(_ iterator: inout DBusMessageIter, depth: Int) {
            if depth > 64 { found.insert(.containerDepth) }
            var type = dbus_message_iter_get_arg_type(&iterator)
            while type != 0 {
                switch UInt8(truncatingIfNeeded: type) {
                case UInt8(ascii: "a"), UInt8(ascii: "r"), UInt8(ascii: "e"), UInt8(ascii: "v"):
                    lookInside(&iterator, UInt8(truncatingIfNeeded: type), depth)
                case UInt8(ascii: "g"):
                    var text: UnsafePointer<CChar>?
                    dbus_message_iter_get_basic(&iterator, &text)
                    if let text { note(String(cString: text)) }
                case UInt8(ascii: "h"):
                    // If the message comes without descriptors, libdbus cannot read one.
                    if descriptorCount == 0 || !isDescriptor(&iterator) { found.insert(.descriptorIndex) }
                default: break
                }
                dbus_message_iter_next(&iterator)
                type = dbus_message_iter_get_arg_type(&iterator)
            }
        }

        private mutating func lookInside(_ iterator: inout DBusMessageIter, _ type: UInt8, _ depth: Int) {
            var inside = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inside)
            if type == UInt8(ascii: "v"), let signature = dbus_message_iter_get_signature(&inside) {
                note(String(cString: signature))
                dbus_free(signature)
            }
            look(&inside, depth: depth + 1)
        }

        private func isDescriptor(_ iterator: inout DBusMessageIter) -> Bool {
            var descriptor: CInt = -1
            dbus_message_iter_get_basic(&iterator, &descriptor)
            if descriptor >= 0 { close(descriptor) }
            return descriptor >= 0
        }
    }
}
