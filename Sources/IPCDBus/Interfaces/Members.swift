/// A method of an interface: one constant for callers, handlers, introspection and tests.
public struct Method<Input: Sendable, Output: Sendable>: Sendable {
    public let interface: InterfaceName
    public let name: MemberName
    public let input: Arguments<Input>
    public let output: Arguments<Output>
    /// A one-sentence description, shown by introspection.
    public let summary: String
    /// Whether the method has no answer (annotation `org.freedesktop.DBus.Method.NoReply`).
    public let isOneWay: Bool

    public init(
        _ interface: InterfaceName, _ name: MemberName, takes input: Arguments<Input>,
        returns output: Arguments<Output>,
        isOneWay: Bool = false, _ summary: String = ""
    ) {
        (self.interface, self.name, self.summary, self.isOneWay) = (interface, name, summary, isOneWay)
        (self.input, self.output) = (input, output)
    }
}

public struct Signal<Values: Sendable>: Sendable {
    public let interface: InterfaceName
    public let name: MemberName
    public let arguments: Arguments<Values>
    public let summary: String

    public init(
        _ interface: InterfaceName, _ name: MemberName, carries arguments: Arguments<Values>, _ summary: String = ""
    ) {
        (self.interface, self.name, self.arguments, self.summary) = (interface, name, arguments, summary)
    }
}

/// How a property's changes are announced (annotation `org.freedesktop.DBus.Property.EmitsChangedSignal`).
public enum PropertyChangeNotice: String, Sendable {
    case value = "true"
    case invalidates
    case constant = "const"
    case none = "false"
}

public struct Property<Content: DBusCodable>: Sendable {
    public let interface: InterfaceName
    public let name: MemberName
    public let isWritable: Bool
    public let changes: PropertyChangeNotice
    public let summary: String

    public init(
        _ interface: InterfaceName, _ name: MemberName, isWritable: Bool = false,
        changes: PropertyChangeNotice = .value, _ summary: String = ""
    ) {
        (self.interface, self.name, self.summary) = (interface, name, summary)
        (self.isWritable, self.changes) = (isWritable, changes)
    }
}

/// A member as introspection describes it.
public enum MemberDescription: Sendable, Hashable {
    case method(
        name: String, input: [ArgumentDescription], output: [ArgumentDescription], isOneWay: Bool, summary: String)
    case signal(name: String, arguments: [ArgumentDescription], summary: String)
    case property(
        name: String, signature: Signature, isWritable: Bool, changes: PropertyChangeNotice, summary: String)

    public var name: String {
        switch self {
        case .method(let name, _, _, _, _), .signal(let name, _, _), .property(let name, _, _, _, _): name
        }
    }
}

/// A method, signal or property.
public protocol InterfaceMember: Sendable {
    var description: MemberDescription { get }
}

extension Method: InterfaceMember {
    public var description: MemberDescription {
        .method(
            name: name.text, input: input.descriptions, output: output.descriptions, isOneWay: isOneWay,
            summary: summary)
    }
}

extension Signal: InterfaceMember {
    public var description: MemberDescription {
        .signal(name: name.text, arguments: arguments.descriptions, summary: summary)
    }
}

extension Property: InterfaceMember {
    public var description: MemberDescription {
        .property(
            name: name.text, signature: Content.dbusSignature, isWritable: isWritable, changes: changes,
            summary: summary)
    }
}

/// An interface as introspection describes it.
public struct InterfaceDescription: Sendable {
    public let name: InterfaceName
    public let summary: String
    public let members: [MemberDescription]

    public init(_ name: InterfaceName, _ summary: String = "", _ members: [MemberDescription]) {
        (self.name, self.summary, self.members) = (name, summary, members)
    }

    public init(_ name: InterfaceName, _ members: any InterfaceMember...) {
        self.init(name, "", members.map(\.description))
    }
}
