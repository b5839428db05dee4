/// The message bus's own interface (D-Bus specification, "Message Bus Messages").
public enum MessageBus {
    public static let name: InterfaceName = "org.freedesktop.DBus"
    public static let path: ObjectPath = "/org/freedesktop/DBus"

    public static let hello = Method(name, "Hello", takes: .none, returns: .of(Argument<String>("unique_name")))
    public static let requestName = Method(
        name, "RequestName", takes: .of(Argument<String>("name"), Argument<UInt32>("flags")),
        returns: .of(Argument<UInt32>("result")))
    public static let releaseName = Method(
        name, "ReleaseName", takes: .of(Argument<String>("name")), returns: .of(Argument<UInt32>("result")))
    public static let addMatch = Method(name, "AddMatch", takes: .of(Argument<String>("rule")), returns: .none)
    public static let removeMatch = Method(name, "RemoveMatch", takes: .of(Argument<String>("rule")), returns: .none)
    public static let getNameOwner = Method(
        name, "GetNameOwner", takes: .of(Argument<String>("name")), returns: .of(Argument<String>("unique_name")))
    public static let listNames = Method(name, "ListNames", takes: .none, returns: .of(Argument<[String]>("names")))
    public static let listActivatableNames = Method(
        name, "ListActivatableNames", takes: .none, returns: .of(Argument<[String]>("names")))
    public static let startServiceByName = Method(
        name, "StartServiceByName", takes: .of(Argument<String>("name"), Argument<UInt32>("flags")),
        returns: .of(Argument<UInt32>("result")))
    public static let getConnectionCredentials = Method(
        name, "GetConnectionCredentials", takes: .of(Argument<String>("name")),
        returns: .of(Argument<[String: Value]>("credentials")))
    /// A method that is not in the specification. Only a dbus-daemon built with statistics answers it.
    static let connectionStatistics = Method(
        "org.freedesktop.DBus.Debug.Stats", "GetConnectionStats", takes: .of(Argument<String>("name")),
        returns: .of(Argument<[String: Value]>("statistics")))
    public static let reloadConfig = Method(name, "ReloadConfig", takes: .none, returns: .none)
    public static let getID = Method(name, "GetId", takes: .none, returns: .of(Argument<String>("id")))
    public static let nameOwnerChanged = Signal(
        name, "NameOwnerChanged",
        carries: .of(Argument<String>("name"), Argument<String>("old_owner"), Argument<String>("new_owner")))
    public static let activatableServicesChanged = Signal(name, "ActivatableServicesChanged", carries: .none)

    /// The owner returned by a call of ``getNameOwner``; `nil` if the name has no owner.
    static func owner(_ call: () async throws(CallError) -> String) async throws(CallError) -> BusName? {
        do throws(CallError) { return BusName(trusted: try await call()) } catch {
            if error.isRemote(.nameHasNoOwner) { return nil }
            throw error
        }
    }
}

/// The result of a request for a name (D-Bus specification, "org.freedesktop.DBus.RequestName").
public enum NameRequestResult: UInt32, Sendable {
    case primaryOwner = 1
    case inQueue = 2
    case exists = 3
    case alreadyOwner = 4

    public var isOwner: Bool { self == .primaryOwner || self == .alreadyOwner }
}

/// The flags of a name request (D-Bus specification, "org.freedesktop.DBus.RequestName").
public struct NameRequestFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let allowReplacement = NameRequestFlags(rawValue: 1)
    public static let replaceExisting = NameRequestFlags(rawValue: 2)
    public static let doNotQueue = NameRequestFlags(rawValue: 4)
}
