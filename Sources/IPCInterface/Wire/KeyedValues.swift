package import IPCDBus

/// An `a{sv}` of the contract with known keys: the options of a method, a result, a context, facts.
///
/// One table of keys serves who writes it and who reads it.
package protocol KeyedValues: DBusCodable {
    init()
    static var keys: [Key<Self>] { get }
    /// Whether a key that is not in the table is an error: so for options, because an ignored one would be a promise
    /// broken in silence; not for what one is handed.
    static var isStrict: Bool { get }
}

/// The options of a method.
package protocol Options: KeyedValues {}
extension Options { package static var isStrict: Bool { true } }

/// Results, contexts and facts.
package protocol Facts: KeyedValues {}
extension Facts { package static var isStrict: Bool { false } }

/// One key: its name, its type, and where its value is kept. A value that is `nil` is not written.
package struct Key<Root>: Sendable {
    package let name: String
    /// `v` stands for any type.
    package let signature: Signature
    fileprivate let read: @Sendable (inout MessageReader, inout Root) throws(MessageError) -> Void
    fileprivate let write: @Sendable (Root, inout MessageWriter) throws(MessageError) -> Void

    package init<Content: DBusCodable>(_ name: String, _ place: any WritableKeyPath<Root, Content?> & Sendable) {
        self.name = name
        let type = Content.dbusSignature
        let place = Place(place)
        signature = type
        read = { (reader, root) throws(MessageError) in
            guard reader.variantHolds(type) else {
                throw .unexpectedType(expected: type.text, found: reader.variantSignature)
            }
            place.set(try reader.variant { (inside) throws(MessageError) in try Content(from: &inside) }, in: &root)
        }
        write = { (root, writer) throws(MessageError) in
            guard let content = place.get(root) else { return }
            try writer.entry { (pair) throws(MessageError) in
                try name.write(to: &pair)
                try pair.variant(type) { (inside) throws(MessageError) in try content.write(to: &inside) }
            }
        }
    }

    /// A key whose value may have any type.
    package init(any name: String, _ place: any WritableKeyPath<Root, Value?> & Sendable) {
        self.name = name
        signature = "v"
        let place = Place(place)
        read = { (reader, root) throws(MessageError) in place.set(try Value(from: &reader), in: &root) }
        write = { (root, writer) throws(MessageError) in
            guard let content = place.get(root) else { return }
            try writer.entry { (pair) throws(MessageError) in
                try name.write(to: &pair)
                try content.write(to: &pair)
            }
        }
    }
}

/// Where a structure keeps a value: a key path, by the offset of the property where it is stored there. Key paths are
/// followed by the runtime step by step, which costs more than the value does on its way over the wire.
private struct Place<Root, Content: Sendable>: Sendable {
    private let path: any WritableKeyPath<Root, Content?> & Sendable
    private let offset: Int?

    init(_ path: any WritableKeyPath<Root, Content?> & Sendable) {
        self.path = path
        offset = MemoryLayout<Root>.offset(of: path)
    }

    func get(_ root: Root) -> Content? {
        guard let offset else { return root[keyPath: path] }
        return withUnsafeBytes(of: root) { bytes in
            bytes.baseAddress.flatMap { ($0 + offset).assumingMemoryBound(to: Content?.self).pointee }
        }
    }

    func set(_ content: Content, in root: inout Root) {
        guard let offset else {
            root[keyPath: path] = content
            return
        }
        withUnsafeMutableBytes(of: &root) { bytes in
            if let start = bytes.baseAddress {
                (start + offset).assumingMemoryBound(to: Content?.self).pointee = content
            }
        }
    }
}

extension KeyedValues {
    package static var dbusSignature: Signature { "a{sv}" }

    package init(from reader: inout MessageReader) throws(MessageError) {
        var values = Self()
        var seen: UInt64 = 0
        let table = Self.keys
        _ = try reader.entries { (entry) throws(MessageError) in
            let name = try String(from: &entry)
            guard let index = table.firstIndex(where: { $0.name == name }) else {
                guard !Self.isStrict else { throw .refused(Self.unknown(name, in: table)) }
                return try entry.skip()
            }
            guard seen & (1 << index) == 0 else { throw .refused("the key “\(name)” stands there twice") }
            seen |= 1 << index
            do throws(MessageError) { try table[index].read(&entry, &values) } catch {
                throw .refused("the key “\(name)”: \(error)")
            }
        }
        self = values
    }

    package func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.array(of: "{sv}") { (inside) throws(MessageError) in
            for key in Self.keys { try key.write(self, &inside) }
        }
    }

    private static func unknown(_ name: String, in table: [Key<Self>]) -> String {
        let known = table.isEmpty ? "it takes none" : "it takes \(table.map(\.name).joined(separator: ", "))"
        return "the option “\(name)” is unknown here; \(known)"
    }
}

/// For a method that takes no options yet.
package struct NoOptions: Options {
    package init() {}
    package static let keys: [Key<NoOptions>] = []
}
