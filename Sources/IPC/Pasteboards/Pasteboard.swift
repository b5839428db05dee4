internal import IPCInterface

/// A named, versioned container of items that outlives the program that wrote it.
///
/// A value of this type has a name and a connection, but no content: each access is a call to the broker. A pasteboard
/// has no owner. Every change gets the next change count.
public struct Pasteboard: Sendable {
    let application: Application
    /// The pasteboard's name.
    public let name: PasteboardName

    var object: PasteboardObject { PasteboardObject(application, name) }

    /// Creates a handle without checking that the pasteboard exists. Use it with
    /// ``Application/open(_:sending:on:options:)``, which creates the pasteboard, or if you know that it exists.
    public init(named name: PasteboardName, of application: Application) {
        (self.name, self.application) = (name, application)
    }
}

extension Pasteboard: Hashable {
    /// Two pasteboards are equal if their names are the same, byte for byte.
    public static func == (one: Pasteboard, other: Pasteboard) -> Bool { one.name == other.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Pasteboard {
    /// The change count of the current version. It grows with every change, may skip numbers, and never decreases.
    public var changeCount: UInt64 {
        get async throws(IPCError) { try await object.get(Pasteboard1.changeCount) }
    }

    /// Whether the pasteboard survives a broker restart and a power failure.
    public var isPersistent: Bool {
        get async throws(IPCError) { try await object.get(Pasteboard1.persistent) }
    }

    /// Makes the pasteboard persistent, which stores it on disk before this returns, or removes it from disk.
    public func setPersistent(_ persistent: Bool) async throws(IPCError) {
        try await object.set(Pasteboard1.persistent, persistent)
    }

    /// How many earlier versions are kept in addition to the current one, 0 to 100.
    public var historyLimit: UInt32 {
        get async throws(IPCError) { try await object.get(Pasteboard1.historyLimit) }
    }

    /// Sets how many earlier versions are kept. Lowering the limit immediately deletes the oldest ones.
    /// - Throws: `invalidArguments` if the number is above 100.
    public func setHistoryLimit(_ versions: UInt32) async throws(IPCError) {
        try await object.set(Pasteboard1.historyLimit, versions)
    }

    /// The content types of the current version: for each item, those of its representations in order, followed by the
    /// promised ones. This reads no content.
    public var types: [[ContentType]] {
        get async throws(IPCError) { try [[ContentType]](texts: try await object.get(Pasteboard1.types)) }
    }

    /// The number of items in the current version.
    public var numberOfItems: Int {
        get async throws(IPCError) { Int(try await object.get(Pasteboard1.itemCount)) }
    }
}
