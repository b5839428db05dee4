/// An interface name such as `org.freedesktop.DBus.Peer` (D-Bus specification, "Interface names").
public struct InterfaceName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    /// - Throws: ``NameError`` that says which rule the text breaks.
    public init(_ text: String) throws(NameError) {
        try NameGrammar.check(
            text, body: text.utf8, kind: "interface name", elements: 2, dash: false, leadingDigit: false)
        self.text = text
    }

    /// For names that stand in the source; a misspelled one is a programming error.
    public init(stringLiteral text: StaticString) {
        do { try self.init("\(text)") } catch { preconditionFailure(error.description) }
    }

    public var description: String { text }
}

/// The name of an error, spelled like an interface name (D-Bus specification, "Error names").
public struct ErrorName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    /// - Throws: ``NameError`` that says which rule the text breaks.
    public init(_ text: String) throws(NameError) {
        try NameGrammar.check(text, body: text.utf8, kind: "error name", elements: 2, dash: false, leadingDigit: false)
        self.text = text
    }

    /// For names that stand in the source; a misspelled one is a programming error.
    public init(stringLiteral text: StaticString) {
        do { try self.init("\(text)") } catch { preconditionFailure(error.description) }
    }

    public var description: String { text }

    public static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
    public static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
    public static let timedOut: ErrorName = "org.freedesktop.DBus.Error.Timeout"
    public static let invalidArguments: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
    public static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
    public static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
    public static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
    public static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
    public static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
    public static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
    public static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
    public static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
    public static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
    public static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
}

/// The name of a method, signal or property (D-Bus specification, "Member names").
public struct MemberName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    /// - Throws: ``NameError`` that says which rule the text breaks.
    public init(_ text: String) throws(NameError) {
        try NameGrammar.check(
            text, body: text.utf8.map { $0 == UInt8(ascii: ".") ? 0 : $0 }, kind: "member name", elements: 1,
            dash: false, leadingDigit: false)
        self.text = text
    }

    /// For names that stand in the source; a misspelled one is a programming error.
    public init(stringLiteral text: StaticString) {
        do { try self.init("\(text)") } catch { preconditionFailure(error.description) }
    }

    public var description: String { text }
}
