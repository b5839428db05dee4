package import IPCDBus

/// `org.swiftipc.Broker1`: the broker itself. The reference is `dbus/org.swiftipc.Broker1.xml`.
package enum Broker1 {
    package static let name: InterfaceName = "org.swiftipc.Broker1"
    // The constant is a valid bus name, so it does not have to be checked.
    package static let busName = BusName("org.swiftipc.Broker1")
    package static let path: ObjectPath = "/org/swiftipc/Broker1"

    package static let version = Property<String>(
        name, "Version", changes: .constant, "The version of the broker, as in Semantic Versioning.")
    package static let features = Property<[String]>(
        name, "Features", changes: .constant,
        "The features of this broker, each as a lower-case word with hyphens.")
    package static let getLimits = Method(
        name, "GetLimits", takes: .of(Argument<NoOptions>("options")),
        returns: .of(Argument<[String: UInt64]>("limits")),
        "Returns the limits of this broker by name; a name ends with the unit, if there is one.")
    package static let describe = Method(
        name, "Describe", takes: .of(Argument<NoOptions>("options")), returns: .of(Argument<String>("state")),
        "Describes the state of the broker as JSON.")
    package static let connect = Method(
        name, "Connect", takes: .of(Argument<ConnectOptions>("options")),
        returns: .of(Argument<Descriptor>("socket")),
        "Opens a direct connection to the broker, which bypasses the bus.")

    package static let description = InterfaceDescription(name, connect, describe, getLimits, version, features)
}

package struct ConnectOptions: Options {
    /// Whether the broker sends requests to this handler over the direct connection once the handler calls `Hello`.
    package var deliveries: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [Key("deliveries", \.deliveries)]
}
