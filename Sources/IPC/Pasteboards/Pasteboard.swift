internal import IPCInterface

/// A named, versioned container of items that outlives the program that wrote it.
///
/// A value of this type has a name and a connection, and no content: each access is a call to the broker. A pasteboard
/// has no owner, and every change takes the next change count.
public struct Pasteboard: Sendable {
    let application: Application
    /// The pasteboard's name.
    public let name: PasteboardName

    var object: PasteboardObject { PasteboardObject(application, name) }

    /// Names a pasteboard, and does not check that it exists; for ``Application/open(_:sending:on:options:)``, which
    /// makes it, and for pasteboards that are known to exist.
    public init(named name: PasteboardName, of application: Application) {
        (self.name, self.application) = (name, application)
    }
}

extension Pasteboard: Hashable {
    /// Two pasteboards are equal if their names are equal byte by byte.
    public static func == (one: Pasteboard, other: Pasteboard) -> Bool { one.name == other.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Pasteboard {
    /// The change count of the current version. It grows with every change, may skip numbers, and never decreases.
    public var changeCount: UInt64 {
        get async throws(IPCError) { try await object.get(Pasteboard1.changeCount) }
    }

    /// Whether it survives the broker and a power cut.
    public var isPersistent: Bool {
        get async throws(IPCError) { try await object.get(Pasteboard1.persistent) }
    }

    /// Makes it persistent, which stores it on disk before this returns, or removes it from disk.
    public func setPersistent(_ persistent: Bool) async throws(IPCError) {
        try await object.set(Pasteboard1.persistent, persistent)
    }

    /// The most earlier versions that are kept beside the current one, 0 to 100.
    public var historyLimit: UInt32 {
        get async throws(IPCError) { try await object.get(Pasteboard1.historyLimit) }
    }

    /// Sets the most earlier versions that are kept. A lower limit deletes the oldest at once.
    /// - Throws: `invalidArguments` above 100.
    public func setHistoryLimit(_ versions: UInt32) async throws(IPCError) {
        try await object.set(Pasteboard1.historyLimit, versions)
    }

    /// The content types of the current version: for each item, those of its representations in order, then promised
    /// ones. Reads no content.
    public var types: [[ContentType]] {
        get async throws(IPCError) { try [[ContentType]](texts: try await object.get(Pasteboard1.types)) }
    }

    /// The number of items of the current version.
    public var numberOfItems: Int {
        get async throws(IPCError) { Int(try await object.get(Pasteboard1.itemCount)) }
    }
}
