internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// A pasteboard as `ObjectManager` and `PropertiesChanged` show it: with all properties except `Types`, because the size
/// of that list has no useful bound.
struct ManagedPasteboard: Sendable {
    let name: PasteboardName
    /// The properties that change.
    let state: [String: Value]

    /// - Parameter itemCount: `nil` if the current version is damaged.
    init(_ board: Board, itemCount: Int?) {
        name = board.name
        var state: [String: Value] = [
            Pasteboard1.changeCount.name.text: .uint64(board.changeCount),
            Pasteboard1.persistent.name.text: .boolean(board.isPersistent),
            Pasteboard1.historyLimit.name.text: .uint32(board.historyLimit),
        ]
        state[Pasteboard1.itemCount.name.text] = itemCount.map { .uint32(UInt32($0)) }
        self.state = state
    }

    var properties: [String: Value] {
        state.merging([Pasteboard1.nameProperty.name.text: .string(name.text)]) { $1 }
    }

    var interfaces: ObjectManager.Interfaces { [Pasteboard1.name.text: properties] }
}

extension StoreTransaction {
    /// The pasteboard with this name; `nil` if there is none.
    borrowing func managedPasteboard(_ name: PasteboardName) throws -> ManagedPasteboard? {
        guard let board = try pasteboard(name) else { return nil }
        return ManagedPasteboard(board, itemCount: try facts(of: name).itemCount)
    }
}

// The signals about the set of pasteboards: one of `Pasteboards1`, and one of `ObjectManager`.
extension IncomingCall {
    /// Announces the pasteboard that this call created, after the answer.
    func announceAdded(_ pasteboard: ManagedPasteboard) throws {
        try emitAfterReply(Pasteboards1.pasteboardAdded, from: Broker1.path, pasteboard.name.text)
        try emitAfterReply(
            ObjectManager.interfacesAdded, from: Pasteboards1.root,
            (try PasteboardsService.path(of: pasteboard.name), pasteboard.interfaces))
    }

    /// Announces the removal of a pasteboard by this call, after the answer.
    func announceRemoved(_ name: PasteboardName) throws {
        try emitAfterReply(Pasteboards1.pasteboardRemoved, from: Broker1.path, name.text)
        try emitAfterReply(
            ObjectManager.interfacesRemoved, from: Pasteboards1.root,
            (try PasteboardsService.path(of: name), [Pasteboard1.name.text]))
    }
}

extension Connection {
    /// Announces the removal of a pasteboard that no call has asked for.
    func announceRemoved(_ name: PasteboardName) throws {
        try emit(Pasteboards1.pasteboardRemoved, from: Broker1.path, name.text)
        try emit(
            ObjectManager.interfacesRemoved, from: Pasteboards1.root,
            (try PasteboardsService.path(of: name), [Pasteboard1.name.text]))
    }
}
