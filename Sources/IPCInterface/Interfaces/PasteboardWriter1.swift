package import IPCDBus
package import IPCModel

/// `org.swiftipc.PasteboardWriter1`: the interface that a writer of promised data exports at the pasteboard's path. The
/// reference is `dbus/org.swiftipc.PasteboardWriter1.xml`.
package enum PasteboardWriter1 {
    package static let name: InterfaceName = "org.swiftipc.PasteboardWriter1"

    package static let getPromisedData = Method(
        name, "GetPromisedData",
        takes: .of(
            Argument<String>("name"), Argument<UInt64>("change_count"), Argument<UInt32>("item"),
            Argument<String>("type"), Argument<PromisedDataOptions>("options")),
        returns: .of(Argument<Representation.Value>("value")), "Returns one promised value.")

    package static let description = InterfaceDescription(name, getPromisedData)
}

package struct PromisedDataOptions: Options {
    /// How many milliseconds the broker waits for the value.
    package var timeout: UInt32?
    /// Whether the writer may return the value as a descriptor.
    package var fd: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [Key("timeout", \.timeout), Key("fd", \.fd)]
}
