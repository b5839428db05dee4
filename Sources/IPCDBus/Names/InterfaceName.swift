/// An interface name such as `org.freedesktop.DBus.Peer` (D-Bus specification, "Interface names").
public struct InterfaceName: DBusName {
    public let text: String

    public init(_ text: String) throws(NameError) {
        try NameGrammar.check(text, body: text.utf8, kind: "interface name")
        self.text = text
    }
}

/// The name of an error, spelled like an interface name (D-Bus specification, "Error names").
public struct ErrorName: DBusName {
    public let text: String

    public init(_ text: String) throws(NameError) {
        try NameGrammar.check(text, body: text.utf8, kind: "error name")
        self.text = text
    }

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
public struct MemberName: DBusName {
    public let text: String

    public init(_ text: String) throws(NameError) {
        try NameGrammar.check(
            text, body: text.utf8.map { $0 == UInt8(ascii: ".") ? 0 : $0 }, kind: "member name", elements: 1)
        self.text = text
    }
}

/// A bus name: unique (`:1.42`, assigned by the bus) or well-known (`org.example.App`, requested by a program).
///
/// D-Bus specification, "Bus names": at most 255 bytes; at least two elements of `[A-Za-z0-9_-]`, separated by dots; an
/// element of a well-known name does not start with a digit.
public struct BusName: DBusName {
    public let text: String

    public init(_ text: String) throws(NameError) {
        let unique = text.utf8.first == UInt8(ascii: ":")
        let body = text.utf8.dropFirst(unique ? 1 : 0)
        try NameGrammar.check(text, body: body, kind: "bus name", dash: true, leadingDigit: unique)
        self.text = text
    }

    init(trusted text: String) { self.text = text }

    /// Whether the bus has assigned this name to one connection for the connection's lifetime.
    public var isUnique: Bool { text.utf8.first == UInt8(ascii: ":") }

    /// The message bus itself.
    public static let bus = BusName(trusted: "org.freedesktop.DBus")
}
