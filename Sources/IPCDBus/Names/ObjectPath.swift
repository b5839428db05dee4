/// An object path: `/`, or elements of `[A-Za-z0-9_]+`, each after a slash (D-Bus specification, "Valid object paths").
public struct ObjectPath: DBusName {
    public let text: String

    public init(_ text: String) throws(NameError) {
        if let rule = Self.brokenRule(text.utf8) { throw NameError(description: "the object path “\(text)” \(rule)") }
        self.text = text
    }

    /// The rule that the bytes break; `nil` for a valid path.
    static func brokenRule(_ bytes: some Collection<UInt8>) -> StaticString? {
        guard bytes.first == UInt8(ascii: "/") else { return "does not begin with a slash" }
        var afterSlash = true
        for byte in bytes.dropFirst() {
            guard byte == UInt8(ascii: "/") else {
                guard NameGrammar.isWordByte(byte) else { return "has a character outside [A-Za-z0-9_/]" }
                afterSlash = false
                continue
            }
            guard !afterSlash else { return "has an empty element" }
            afterSlash = true
        }
        return afterSlash && bytes.count > 1 ? "ends with a slash" : nil
    }

    init(trusted text: String) { self.text = text }

    /// The path of an object below this one.
    /// - Throws: ``NameError`` if `element` is empty or has a character outside `[A-Za-z0-9_]`.
    public func appending(_ element: String) throws(NameError) -> ObjectPath {
        try ObjectPath(text.utf8.count == 1 ? "/\(element)" : "\(text)/\(element)")
    }

    /// The part after the last slash; empty for the root.
    public var lastElement: Substring { text[text.index(after: text.lastIndex(of: "/")!)...] }

    /// The path one level up; `nil` for the root.
    public var parent: ObjectPath? {
        guard text.utf8.count > 1 else { return nil }
        let above = text[..<text.lastIndex(of: "/")!]
        return ObjectPath(trusted: above.isEmpty ? "/" : String(above))
    }

    /// The path below `ancestor`, without a leading slash; `nil` if this is not a descendant.
    func remainder(below ancestor: ObjectPath) -> Substring? {
        let prefix = ancestor.text.utf8.count == 1 ? "/" : ancestor.text + "/"
        guard text.utf8.count > prefix.utf8.count, text.hasPrefix(prefix) else { return nil }
        return text.dropFirst(prefix.count)
    }
}
