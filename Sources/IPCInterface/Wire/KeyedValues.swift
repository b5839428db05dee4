package import IPCDBus

/// A D-Bus dictionary `a{sv}` with known keys: the options of a method, a result, a context, or metadata. One table of
/// keys is used for both writing and reading.
package protocol KeyedValues: DBusCodable {
    init()
    static var keys: [Key<Self>] { get }
    /// Whether an unknown key is an error, as it is in options: callers rely on every option that they set.
    static var isStrict: Bool { get }
}

package protocol Options: KeyedValues {}
extension Options { package static var isStrict: Bool { true } }

/// Results, contexts and metadata, in which unknown keys are skipped.
package protocol Facts: KeyedValues {}
extension Facts { package static var isStrict: Bool { false } }

/// A key of a dictionary, with its type and the property that holds its value. A `nil` value is not written.
package struct Key<Root>: Sendable {
    package let name: String
    /// The type of the value; `v` means any type.
    package let signature: Signature
    /// Whether a value of any integer type is accepted, if the number fits. Most languages write 500 as an `i`.
    private let takesIntegers: Bool
    fileprivate let limit: String?
    fileprivate let beginning: EntryBeginning
    /// Reads the value of a dictionary entry whose key has been read.
    fileprivate let read: @Sendable (inout MessageReader, inout Root) throws(MessageError) -> Void
    fileprivate let write: @Sendable (Root, inout MessageWriter) throws(MessageError) -> Void

    /// - Parameter limit: the name of the limit for the size of the value on the wire; `nil` if there is none.
    package init<Content: DBusCodable>(
        _ name: String, _ path: any WritableKeyPath<Root, Content?> & Sendable, limit: String? = nil
    ) {
        self.init(name, path, limit, takesIntegers: false) { (reader) throws(MessageError) in
            try Content(from: &reader)
        }
    }

    package init<Content: DBusInteger>(_ name: String, _ path: any WritableKeyPath<Root, Content?> & Sendable) {
        self.init(name, path, nil, takesIntegers: true) { (reader) throws(MessageError) in
            try Content(anyInteger: &reader)
        }
    }

    private init<Content: DBusCodable>(
        _ name: String, _ path: any WritableKeyPath<Root, Content?> & Sendable, _ limit: String?, takesIntegers: Bool,
        decode: @escaping @Sendable (inout MessageReader) throws(MessageError) -> Content
    ) {
        (self.name, signature, self.limit) = (name, Content.dbusSignature, limit)
        self.takesIntegers = takesIntegers
        // A property of type `Value` is written as the entry's own variant, not as a second variant inside it.
        let beginning = EntryBeginning(key: name, type: Content.self == Value.self ? nil : signature)
        let place = Place(path)
        self.beginning = beginning
        read = { (reader, root) throws(MessageError) in place.set(try decode(&reader), in: &root) }
        write = { (root, writer) throws(MessageError) in
            guard let content = place.get(root) else { return }
            try writer.entry(beginning) { (inside) throws(MessageError) in try content.write(to: &inside) }
        }
    }

    /// Checks the size of the value before it is decoded.
    fileprivate func check(_ reader: MessageReader) throws(MessageError) {
        if let limit { return try reader.checkNextBytes(limit, slack: Self.slack) }
        guard reader.hasMoreBytes(than: Self.mostText), reader.bounds != nil, signature == "s" else { return }
        let length = try reader.nextLength
        guard length > Self.mostText else { return }
        throw .refused("it has \(length) bytes; at most \(Self.mostText) are allowed")
    }

    /// The maximum size in bytes of a string whose key names no limit.
    private static var mostText: Int { 65_536 }

    /// The maximum number of bytes that precede a value: padding, the length of a string, the type of a variant.
    private static var slack: Int { 272 }

    /// Moves the reader to the value of an entry whose key has been read.
    fileprivate func enterValue(_ reader: inout MessageReader) throws(MessageError) {
        guard beginning.hasType else { return }
        guard reader.variantHolds(signature) || takesIntegers && reader.variantHoldsInteger else {
            throw .unexpectedType(expected: signature.text, found: reader.variantSignature)
        }
        _ = try reader.enterVariant()
    }
}

/// A stored property, accessed by its offset in memory. Access by key path would take longer than encoding the value.
private struct Place<Root, Content: Sendable>: Sendable {
    private let offset: Int

    init(_ path: any WritableKeyPath<Root, Content?> & Sendable) {
        guard let offset = MemoryLayout<Root>.offset(of: path) else { preconditionFailure("no stored property") }
        self.offset = offset
    }

    func get(_ root: Root) -> Content? {
        withUnsafePointer(to: root) {
            (UnsafeRawPointer($0) + offset).assumingMemoryBound(to: Content?.self).pointee
        }
    }

    func set(_ content: Content, in root: inout Root) {
        withUnsafeMutablePointer(to: &root) {
            (UnsafeMutableRawPointer($0) + offset).assumingMemoryBound(to: Content?.self).pointee = content
        }
    }
}

private let (wholeType, entryType): (Signature, Signature) = ("a{sv}", "{sv}")

extension KeyedValues {
    package static var dbusSignature: Signature { wholeType }

    package init(from reader: inout MessageReader) throws(MessageError) {
        self.init()
        let table = Self.keys
        var seen: UInt64 = 0
        // Keys usually arrive in the table's order, so start each search after the last key found.
        var next = 0
        let whole = try reader.enterDictionary()
        while !reader.isAtEnd {
            guard let entry = try Self.entry(of: table, from: next, &reader) else { continue }
            let key = entry.index
            guard seen & (1 << key) == 0 else { throw .refused("the key “\(table[key].name)” appears twice") }
            seen |= 1 << key
            next = key + 1
            do throws(MessageError) {
                if !entry.isInValue { try table[key].enterValue(&reader) }
                if reader.bounds != nil { try table[key].check(reader) }
                try table[key].read(&reader, &self)
                try reader.leave(entry.outer)
            } catch {
                if case .beyondLimit = error { throw error }
                throw .refused("the key “\(table[key].name)”: \(error)")
            }
        }
        try reader.leave(whole)
    }

    /// Enters the next entry of the dictionary. If its key is unknown, skips the entry and returns `nil`.
    private static func entry(
        of table: [Key<Self>], from first: Int, _ reader: inout MessageReader
    ) throws(MessageError) -> (index: Int, outer: MessageReader.Container, isInValue: Bool)? {
        if let mark = try reader.entryMark() {
            for step in table.indices {
                let index = first + step < table.count ? first + step : first + step - table.count
                guard table[index].beginning.mark == mark else { continue }
                if let outer = try reader.enterValue(table[index].beginning) { return (index, outer, true) }
            }
        }
        // The entry does not start as this library writes it: its key, its type or its endianness is different.
        let outer = try reader.enterEntry()
        let name = try String(from: &reader)
        if let index = table.firstIndex(where: { $0.name == name }) { return (index, outer, false) }
        guard !isStrict else { throw .refused(unknown(name, in: table)) }
        try reader.leave(outer)
        return nil
    }

    package func write(to writer: inout MessageWriter) throws(MessageError) {
        let table = Self.keys
        try writer.array(of: entryType) { (inside) throws(MessageError) in
            for index in table.indices { try table[index].write(self, &inside) }
        }
    }

    private static func unknown(_ name: String, in table: [Key<Self>]) -> String {
        let known = table.isEmpty ? "there are none" : "the options are \(table.map(\.name).joined(separator: ", "))"
        return "the option “\(name)” is unknown; \(known)"
    }
}

package struct NoOptions: Options {
    package init() {}
    package static let keys: [Key<NoOptions>] = []
}
