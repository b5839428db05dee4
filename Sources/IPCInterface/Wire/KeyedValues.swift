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
        signature = type
        read = { (reader, root) throws(MessageError) in
            guard reader.variantSignature == type.text else {
                throw .unexpectedType(expected: type.text, found: reader.variantSignature)
            }
            root[keyPath: place] = try reader.variant { (inside) throws(MessageError) in try Content(from: &inside) }
        }
        write = { (root, writer) throws(MessageError) in
            guard let content = root[keyPath: place] else { return }
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
        read = { (reader, root) throws(MessageError) in root[keyPath: place] = try Value(from: &reader) }
        write = { (root, writer) throws(MessageError) in
            guard let content = root[keyPath: place] else { return }
            try writer.entry { (pair) throws(MessageError) in
                try name.write(to: &pair)
                try content.write(to: &pair)
            }
        }
    }
}

extension KeyedValues {
    package static var dbusSignature: Signature { "a{sv}" }

    package init(from reader: inout MessageReader) throws(MessageError) {
        var values = Self()
        var seen: [String] = []
        let table = Self.keys
        _ = try reader.entries { (entry) throws(MessageError) in
            let name = try String(from: &entry)
            guard let key = table.first(where: { $0.name == name }) else {
                guard !Self.isStrict else { throw .refused(Self.unknown(name, in: table)) }
                return entry.skip()
            }
            guard !seen.contains(name) else { throw .refused("the key “\(name)” stands there twice") }
            seen.append(name)
            do throws(MessageError) { try key.read(&entry, &values) } catch {
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
