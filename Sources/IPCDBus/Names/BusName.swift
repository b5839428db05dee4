/// A bus name: unique (`:1.42`, given by the bus) or well-known (`org.example.App`, asked for by a program).
///
/// D-Bus specification, "Bus names": at most 255 bytes; elements of `[A-Za-z0-9_-]` separated by dots, at least two;
/// an element of a well-known name does not begin with a digit.
public struct BusName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    /// - Throws: ``NameError`` that says which rule the text breaks.
    public init(_ text: String) throws(NameError) {
        let unique = text.utf8.first == UInt8(ascii: ":")
        let body = text.utf8.dropFirst(unique ? 1 : 0)
        try NameGrammar.check(
            text, body: body, kind: "bus name", elements: 2, dash: true, leadingDigit: unique)
        self.text = text
    }

    /// For names that stand in the source; a misspelled one is a programming error.
    public init(stringLiteral text: StaticString) {
        do { try self.init("\(text)") } catch { preconditionFailure(error.description) }
    }

    init(trusted text: String) { self.text = text }

    /// Whether the bus gave this name to one connection, for its lifetime.
    public var isUnique: Bool { text.utf8.first == UInt8(ascii: ":") }
    public var description: String { text }

    /// The message bus itself.
    public static let bus = BusName(trusted: "org.freedesktop.DBus")
}
