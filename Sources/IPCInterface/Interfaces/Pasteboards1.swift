package import IPCDBus

/// `org.swiftipc.Pasteboards1`: all pasteboards. The reference is `dbus/org.swiftipc.Pasteboards1.xml`.
package enum Pasteboards1 {
    package static let name: InterfaceName = "org.swiftipc.Pasteboards1"
    /// The parent of the pasteboards' object paths.
    package static let root: ObjectPath = "/org/swiftipc/Broker1/pasteboards"

    package static let getPasteboard = Method(
        name, "GetPasteboard", takes: .of(Argument<String>("name"), Argument<GetPasteboardOptions>("options")),
        returns: .of(Argument<ObjectPath>("path")),
        "Finds a pasteboard by name, and creates it if the caller asks for that.")
    package static let createUniquePasteboard = Method(
        name, "CreateUniquePasteboard", takes: .of(Argument<UniquePasteboardOptions>("options")),
        returns: .of(Argument<String>("name"), Argument<ObjectPath>("path")),
        "Creates a pasteboard with a unique name.")
    package static let removePasteboard = Method(
        name, "RemovePasteboard", takes: .of(Argument<String>("name"), Argument<NoOptions>("options")),
        returns: .none, "Removes a pasteboard with all its versions.")
    package static let listPasteboards = Method(
        name, "ListPasteboards", takes: .of(Argument<ListPasteboardsOptions>("options")),
        returns: .of(Argument<[PasteboardRow]>("pasteboards")), "Lists pasteboards by name.")
    package static let waitForChange = Method(
        name, "WaitForChange",
        takes: .of(Argument<[String]>("names"), Argument<UInt64>("seen"), Argument<WaitOptions>("options")),
        returns: .of(
            Argument<UInt64>("change_count"), Argument<[ChangedPasteboard]>("changed"), Argument<ChangeFacts>("facts")),
        "Waits until a pasteboard changes after a given change count.")
    package static let fetchPromises = Method(
        name, "FetchPromises", takes: .of(Argument<NoOptions>("options")), returns: .of(Argument<UInt32>("fetched")),
        "Fetches all values that the caller has promised, so that the caller can exit.")
    package static let skipChangeCounts = Method(
        name, "SkipChangeCounts", takes: .of(Argument<UInt64>("to"), Argument<NoOptions>("options")),
        returns: .of(Argument<UInt64>("change_count")),
        "Makes the next change count greater than the given one.")
    package static let pasteboardAdded = Signal(
        name, "PasteboardAdded", carries: .of(Argument<String>("name")), "Reports that a pasteboard was created.")
    package static let pasteboardRemoved = Signal(
        name, "PasteboardRemoved", carries: .of(Argument<String>("name")), "Reports that a pasteboard was removed.")

    package static let description = InterfaceDescription(
        name, getPasteboard, createUniquePasteboard, removePasteboard, listPasteboards, waitForChange, fetchPromises,
        skipChangeCounts, pasteboardAdded, pasteboardRemoved)
}

package struct GetPasteboardOptions: Options {
    package var create: Bool?
    package var persistent: Bool?
    package var sourceApplication: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("create", \.create), Key("persistent", \.persistent), Key("source-application", \.sourceApplication),
    ]
}

package struct UniquePasteboardOptions: Options {
    package var sourceApplication: String?
    package init() {}
    package static let keys: [Key<Self>] = [Key("source-application", \.sourceApplication)]
}

package struct ListPasteboardsOptions: Options {
    package var after: String?
    package var limit: UInt32?
    package var prefix: String?
    package init() {}
    package static let keys: [Key<Self>] = [Key("after", \.after), Key("limit", \.limit), Key("prefix", \.prefix)]
}

package struct WaitOptions: Options {
    /// In milliseconds.
    package var timeout: UInt32?
    package init() {}
    package static let keys: [Key<Self>] = [Key("timeout", \.timeout)]
}

package struct ChangeFacts: Facts {
    package var resync: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [Key("resync", \.resync)]
}

package struct PasteboardFacts: Facts {
    package var persistent: Bool?
    package var itemCount: UInt32?
    /// The total size of all values in the current version, in bytes.
    package var size: UInt64?
    /// Milliseconds since 1970 UTC.
    package var time: UInt64?
    package var historyLimit: UInt32?
    /// The number of versions, including the current one.
    package var versions: UInt32?
    package var sensitive: Bool?
    package var once: Bool?
    /// When the current version expires, in milliseconds since 1970 UTC.
    package var expires: UInt64?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("persistent", \.persistent), Key("item-count", \.itemCount), Key("size", \.size), Key("time", \.time),
        Key("history-limit", \.historyLimit), Key("versions", \.versions), Key("sensitive", \.sensitive),
        Key("once", \.once), Key("expires", \.expires),
    ]
}

/// A row of ListPasteboards, `(sta{sv})`.
package struct PasteboardRow: DBusCodable {
    package let name: String
    package let changeCount: UInt64
    package let facts: PasteboardFacts
    package static var dbusSignature: Signature { "(sta{sv})" }

    package init(name: String, changeCount: UInt64, facts: PasteboardFacts) {
        (self.name, self.changeCount, self.facts) = (name, changeCount, facts)
    }

    package init(from reader: inout MessageReader) throws(MessageError) {
        (name, changeCount, facts) = try reader.structure { (fields) throws(MessageError) in
            (try String(from: &fields), try UInt64(from: &fields), try PasteboardFacts(from: &fields))
        }
    }

    package func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.structure { (fields) throws(MessageError) in
            try name.write(to: &fields)
            try changeCount.write(to: &fields)
            try facts.write(to: &fields)
        }
    }
}

/// A row of WaitForChange, `(st)`; a change count of 0 means that the pasteboard was removed.
package struct ChangedPasteboard: DBusCodable, Hashable {
    package let name: String
    package let changeCount: UInt64
    package static var dbusSignature: Signature { "(st)" }

    package init(name: String, changeCount: UInt64) { (self.name, self.changeCount) = (name, changeCount) }

    package init(from reader: inout MessageReader) throws(MessageError) {
        (name, changeCount) = try reader.structure { (fields) throws(MessageError) in
            (try String(from: &fields), try UInt64(from: &fields))
        }
    }

    package func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.structure { (fields) throws(MessageError) in
            try name.write(to: &fields)
            try changeCount.write(to: &fields)
        }
    }
}
