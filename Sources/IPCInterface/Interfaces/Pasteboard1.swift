package import IPCDBus
package import IPCModel

/// `org.swiftipc.Pasteboard1`: one pasteboard. The reference is `dbus/org.swiftipc.Pasteboard1.xml`.
package enum Pasteboard1 {
    package static let name: InterfaceName = "org.swiftipc.Pasteboard1"

    package static let setItems = Method(
        name, "SetItems", takes: .of(Argument<[PasteboardItem]>("items"), Argument<WriteOptions>("options")),
        returns: .of(Argument<UInt64>("change_count")), "Replaces all items of the pasteboard.")
    package static let addItems = Method(
        name, "AddItems", takes: .of(Argument<[PasteboardItem]>("items"), Argument<WriteOptions>("options")),
        returns: .of(Argument<UInt64>("change_count")), "Appends items to those of the current version.")
    package static let clear = Method(
        name, "Clear", takes: .of(Argument<ClearOptions>("options")), returns: .of(Argument<UInt64>("change_count")),
        "Removes all items from the pasteboard.")
    package static let getItems = Method(
        name, "GetItems", takes: .of(Argument<GetItemsOptions>("options")),
        returns: .of(
            Argument<UInt64>("change_count"), Argument<[ReadItem]>("items"), Argument<VersionFacts>("facts")),
        "Reads the items of the pasteboard.")
    package static let getData = Method(
        name, "GetData",
        takes: .of(Argument<UInt32>("item"), Argument<String>("type"), Argument<GetDataOptions>("options")),
        returns: .of(Argument<Representation.Value>("value"), Argument<VersionFacts>("facts")),
        "Reads one representation of one item.")
    package static let listVersions = Method(
        name, "ListVersions", takes: .of(Argument<NoOptions>("options")),
        returns: .of(Argument<[VersionFacts]>("versions")),
        "Lists the versions that the broker keeps, oldest first, without their content.")

    package static let nameProperty = Property<String>(
        name, "Name", changes: .constant, "The name of the pasteboard, as it was given.")
    package static let changeCount = Property<UInt64>(
        name, "ChangeCount", "The change count of the current version.")
    package static let persistent = Property<Bool>(
        name, "Persistent", isWritable: true,
        "Whether the pasteboard survives a broker restart and a power failure.")
    package static let historyLimit = Property<UInt32>(
        name, "HistoryLimit", isWritable: true,
        "The maximum number of earlier versions that the broker keeps, 0 to 100.")
    package static let types = Property<[[String]]>(
        name, "Types", changes: .invalidates,
        "The content types of the current version: for each item, those of its representations in order.")
    package static let itemCount = Property<UInt32>(
        name, "ItemCount", "The number of items in the current version.")

    package static let description = InterfaceDescription(
        name, setItems, addItems, clear, getItems, getData, listVersions, nameProperty, changeCount, persistent,
        historyLimit, types, itemCount)
}

package struct WriteOptions: Options {
    package var ifChangeCount: UInt64?
    package var id: String?
    /// In milliseconds.
    package var timeToLive: UInt64?
    package var sensitive: Bool?
    package var once: Bool?
    package var promises: [[String]]?
    package var sourceApplication: String?
    /// For each item, the digests of its representations; an empty string for a representation without one.
    package var digests: [[String]]?
    package var create: Bool?
    package var persistent: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("if-change-count", \.ifChangeCount), Key("id", \.id), Key("time-to-live", \.timeToLive),
        Key("sensitive", \.sensitive), Key("once", \.once), Key("promises", \.promises),
        Key("source-application", \.sourceApplication), Key("digests", \.digests), Key("create", \.create),
        Key("persistent", \.persistent),
    ]
}

package struct ClearOptions: Options {
    package var ifChangeCount: UInt64?
    package var id: String?
    package var sourceApplication: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("if-change-count", \.ifChangeCount), Key("id", \.id), Key("source-application", \.sourceApplication),
    ]
}

package struct GetItemsOptions: Options {
    package var types: [String]?
    package var changeCount: UInt64?
    package var take: Bool?
    package var ifChangeCount: UInt64?
    package var id: String?
    package var fd: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("types", \.types), Key("change-count", \.changeCount), Key("take", \.take),
        Key("if-change-count", \.ifChangeCount), Key("id", \.id), Key("fd", \.fd),
    ]
}

package struct GetDataOptions: Options {
    package var changeCount: UInt64?
    package var fd: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [Key("change-count", \.changeCount), Key("fd", \.fd)]
}

/// The metadata of a pasteboard version, or of one of its values.
package struct VersionFacts: Facts {
    /// In bytes.
    package var size: UInt64?
    package var digest: String?
    package var digests: [[String]]?
    package var sourceApplication: String?
    package var sourceStrength: String?
    /// Milliseconds since 1970 UTC.
    package var time: UInt64?
    package var changeCount: UInt64?
    package var itemCount: UInt32?
    package var types: [[String]]?
    /// Whether the value is passed as a descriptor.
    package var fd: Bool?
    package var sensitive: Bool?
    package var once: Bool?
    /// When the version expires, in milliseconds since 1970 UTC.
    package var expires: UInt64?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("size", \.size), Key("digest", \.digest), Key("digests", \.digests),
        Key("source-application", \.sourceApplication), Key("source-strength", \.sourceStrength), Key("time", \.time),
        Key("change-count", \.changeCount), Key("item-count", \.itemCount), Key("types", \.types), Key("fd", \.fd),
        Key("sensitive", \.sensitive), Key("once", \.once), Key("expires", \.expires),
    ]
}
