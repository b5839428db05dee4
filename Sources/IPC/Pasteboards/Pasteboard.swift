internal import IPCInterface

/// A named, versioned container of items that outlives the program that wrote it.
///
/// A value of this type is a name and a connection: it holds nothing, and each question goes to the broker. Nobody owns
/// a pasteboard; every change takes the next change count.
public struct Pasteboard: Sendable {
    let application: Application
    let checkedName: PasteboardName
    var object: PasteboardObject { PasteboardObject(application, checkedName) }

    /// The pasteboard's name.
    public var name: String { checkedName.text }

    init(_ name: PasteboardName, of application: Application) {
        checkedName = name
        self.application = application
    }

    /// Names a pasteboard and asks nobody whether it exists; for ``Application/open(_:sending:on:options:)``, which makes
    /// it in the same step, and for names that are known to exist.
    /// - Throws: `invalidName`.
    public init(named name: String, of application: Application) throws(IPCError) {
        self.init(try PasteboardName(checking: name), of: application)
    }

    /// The pasteboard that everybody shares.
    ///
    /// It takes the application because a read or write has a source and needs a connection; a hidden one of the whole
    /// process would have neither an id nor an end.
    public static func general(of application: Application) -> Pasteboard { application.generalPasteboard }
}

extension Pasteboard: Hashable {
    /// Two pasteboards are equal if their names are, byte by byte.
    public static func == (one: Pasteboard, other: Pasteboard) -> Bool { one.checkedName == other.checkedName }
    public func hash(into hasher: inout Hasher) { hasher.combine(checkedName) }
}

// MARK: Properties

extension Pasteboard {
    /// The change count of the current version: grows with every change, may skip, never goes back.
    public var changeCount: UInt64 {
        get async throws(IPCError) { try await object.get(Pasteboard1.changeCount) }
    }

    /// Whether it survives the end of the broker and of the machine's power.
    public var isPersistent: Bool {
        get async throws(IPCError) { try await object.get(Pasteboard1.persistent) }
    }

    /// Makes it persistent, on the disk before this returns, or takes it off the disk.
    public func setPersistent(_ persistent: Bool) async throws(IPCError) {
        try await object.set(Pasteboard1.persistent, persistent)
    }

    /// How many earlier versions are kept beside the current one, 0 to 100.
    public var historyLimit: UInt32 {
        get async throws(IPCError) { try await object.get(Pasteboard1.historyLimit) }
    }

    /// Sets how many earlier versions are kept; a lower number lets the oldest go at once.
    /// - Throws: `invalidArguments` above 100.
    public func setHistoryLimit(_ versions: UInt32) async throws(IPCError) {
        try await object.set(Pasteboard1.historyLimit, versions)
    }

    /// The content types of the current version: for each item, those of its representations in order, and those that
    /// its writer has promised. Nothing is read.
    public var types: [[ContentType]] {
        get async throws(IPCError) { try [[ContentType]](texts: try await object.get(Pasteboard1.types)) }
    }

    /// The number of items of the current version.
    public var numberOfItems: Int {
        get async throws(IPCError) { Int(try await object.get(Pasteboard1.itemCount)) }
    }
}
