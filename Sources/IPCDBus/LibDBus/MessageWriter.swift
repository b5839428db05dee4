internal import CLibDBus

/// Appends values to a message and holds the protocol's limits, so that libdbus never sees a value that it would
/// abort for. An error leaves the message unusable; it is thrown away with it.
public struct MessageWriter: ~Copyable {
    private var iterator: DBusMessageIter
    private let extent: Extent

    /// What the message has grown to; shared by the writers of nested containers.
    private final class Extent {
        /// Bytes of the body so far, padding included (D-Bus specification, "Marshalling").
        var bytes: Int
        var descriptors = 0
        var arrays = 0
        var structures = 0
        var depth = 0

        init(header: Int) { bytes = (header + 7) & ~7 }

        func advance(alignment: Int, by size: Int) throws(MessageError) {
            bytes = ((bytes + alignment - 1) & ~(alignment - 1)) + size
            if bytes > MessageError.longestMessage { throw .messageTooLong(bytes: bytes) }
        }
    }

    init(_ message: borrowing Message) {
        iterator = DBusMessageIter()
        dbus_message_iter_init_append(message.handle, &iterator)
        extent = Extent(header: message.headerBound)
    }

    private init(inside extent: Extent) {
        iterator = DBusMessageIter()
        self.extent = extent
    }

    private static func alignment(of type: Unicode.Scalar) -> Int {
        switch type {
        case "y", "g", "v": 1
        case "n", "q": 2
        case "x", "t", "d", "(", "{": 8
        default: 4
        }
    }

    mutating func fixed<Number: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Number) throws(MessageError) {
        let size = MemoryLayout<Number>.size
        try extent.advance(alignment: size, by: size)
        var value = value
        guard dbus_message_iter_append_basic(&iterator, CInt(type.value), &value) != 0 else { throw .outOfMemory }
    }

    mutating func text(_ type: Unicode.Scalar, _ value: String) throws(MessageError) {
        var value = value
        let (hasNUL, count) = value.withUTF8 { ($0.contains(0), $0.count) }
        guard !hasNUL else { throw .containsNUL }
        try extent.advance(alignment: type == "g" ? 1 : 4, by: count + (type == "g" ? 2 : 5))
        let appended = value.withCString { (text: UnsafePointer<CChar>?) in
            withUnsafePointer(to: text) { dbus_message_iter_append_basic(&iterator, CInt(type.value), $0) }
        }
        guard appended != 0 else { throw .outOfMemory }
    }

    /// Appends an open descriptor, which stays with the caller: the message has a duplicate.
    public mutating func descriptor(_ value: CInt) throws(MessageError) {
        extent.descriptors += 1
        guard extent.descriptors <= MessageError.mostDescriptors else {
            throw .tooManyDescriptors(extent.descriptors)
        }
        try extent.advance(alignment: 4, by: 4)
        var value = value
        guard dbus_message_iter_append_basic(&iterator, CInt(UInt8(ascii: "h")), &value) != 0 else {
            throw .descriptorUnavailable
        }
    }

    mutating func bytes(_ value: [UInt8]) throws(MessageError) {
        guard value.count <= MessageError.longestArray else { throw .arrayTooLong(bytes: value.count) }
        try container("a", signature: "y") { (inside) throws(MessageError) in
            try inside.extent.advance(alignment: 1, by: value.count)
            let appended = value.withUnsafeBufferPointer { buffer in
                var start = buffer.baseAddress ?? UnsafePointer(bitPattern: 1)
                return dbus_message_iter_append_fixed_array(
                    &inside.iterator, CInt(UInt8(ascii: "y")), &start, CInt(buffer.count))
            }
            if appended == 0 { throw .outOfMemory }
        }
    }

    /// An array whose elements all have the type `element`.
    public mutating func array(
        of element: Signature, _ body: (inout MessageWriter) throws(MessageError) -> Void
    ) throws(MessageError) {
        try container("a", signature: element.text, body)
    }

    public mutating func structure(
        _ body: (inout MessageWriter) throws(MessageError) -> Void
    ) throws(MessageError) {
        try container("(", signature: nil, body)
    }

    /// A pair in an array of type `a{…}`.
    public mutating func entry(_ body: (inout MessageWriter) throws(MessageError) -> Void) throws(MessageError) {
        try container("{", signature: nil, body)
    }

    public mutating func variant(
        _ signature: Signature, _ body: (inout MessageWriter) throws(MessageError) -> Void
    ) throws(MessageError) {
        guard signature.isSingleType else { throw .invalidSignature(signature.text) }
        try container("v", signature: signature.text, body)
    }

    private mutating func container(
        _ kind: Unicode.Scalar, signature: String?, _ body: (inout MessageWriter) throws(MessageError) -> Void
    ) throws(MessageError) {
        try open(kind)
        defer { close(kind) }
        var inside = MessageWriter(inside: extent)
        let code: CInt =
            kind == "(" ? CInt(UInt8(ascii: "r")) : kind == "{" ? CInt(UInt8(ascii: "e")) : CInt(kind.value)
        guard dbus_message_iter_open_container(&iterator, code, signature, &inside.iterator) != 0 else {
            throw .outOfMemory
        }
        let header = kind == "v" ? (signature?.utf8.count ?? 0) + 2 : kind == "a" ? 4 : 0
        do throws(MessageError) {
            try extent.advance(alignment: Self.alignment(of: kind == "a" ? "u" : kind), by: header)
            if kind == "a", let first = signature?.unicodeScalars.first {
                try extent.advance(alignment: Self.alignment(of: first), by: 0)
            }
            let start = extent.bytes
            try body(&inside)
            if kind == "a", extent.bytes - start > MessageError.longestArray {
                throw MessageError.arrayTooLong(bytes: extent.bytes - start)
            }
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inside.iterator)
            throw error
        }
        guard dbus_message_iter_close_container(&iterator, &inside.iterator) != 0 else { throw .outOfMemory }
    }

    private func open(_ kind: Unicode.Scalar) throws(MessageError) {
        extent.depth += 1
        if kind == "a" { extent.arrays += 1 }
        if kind == "(" || kind == "{" { extent.structures += 1 }
        guard extent.depth <= 64, extent.arrays <= 32, extent.structures <= 32 else {
            close(kind)
            throw .tooDeep
        }
    }

    private func close(_ kind: Unicode.Scalar) {
        extent.depth -= 1
        if kind == "a" { extent.arrays -= 1 }
        if kind == "(" || kind == "{" { extent.structures -= 1 }
    }
}
