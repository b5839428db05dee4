package import IPCModel

/// A pasteboard that moved to a new change count, or was removed.
package struct PasteboardMove: Sendable, Hashable {
    package let name: PasteboardName
    /// The change count that the move took.
    package let changeCount: UInt64
    /// What it is now; nil once it is removed.
    package let state: State?

    package struct State: Sendable, Hashable {
        package let isPersistent: Bool
        package let historyLimit: UInt32
    }
}

extension PasteboardMove {
    init(_ board: Board) {
        self.init(
            name: board.name, changeCount: board.changeCount,
            state: State(isPersistent: board.area == .persistent, historyLimit: board.historyLimit))
    }
}
