/// `org.freedesktop.DBus.ObjectManager`: the objects below a path (D-Bus specification, "Standard Interfaces").
public enum ObjectManager {
    /// The interfaces of an object, each with its properties.
    public typealias Interfaces = [String: [String: Value]]

    public static let name: InterfaceName = "org.freedesktop.DBus.ObjectManager"
    public static let getManagedObjects = Method(
        name, "GetManagedObjects", takes: .none,
        returns: .of(Argument<[ObjectPath: Interfaces]>("objpath_interfaces_and_properties")))
    public static let interfacesAdded = Signal(
        name, "InterfacesAdded",
        carries: .of(Argument<ObjectPath>("object_path"), Argument<Interfaces>("interfaces_and_properties")))
    public static let interfacesRemoved = Signal(
        name, "InterfacesRemoved", carries: .of(Argument<ObjectPath>("object_path"), Argument<[String]>("interfaces")))

    public static let description = InterfaceDescription(name, getManagedObjects, interfacesAdded, interfacesRemoved)
}
