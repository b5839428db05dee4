/// A change to one pasteboard.
public struct PasteboardChange: Sendable, Hashable {
    /// The name of the pasteboard.
    public let name: PasteboardName
    /// The change count of the pasteboard's current version; 0 if the pasteboard was removed.
    public let changeCount: UInt64
    /// Whether the pasteboard was removed.
    public var isRemoved: Bool { changeCount == 0 }
    /// The position of this change. To continue here later without missing a change, pass it as `since`.
    public let cursor: UInt64
    /// Whether the broker no longer knows which pasteboards were removed since the given change count. If so, the first
    /// changes list every watched pasteboard that exists; all others have been removed.
    public let isResync: Bool
}

extension Pasteboard {
    /// The changes to this pasteboard after a change count, for as long as you iterate.
    ///
    /// Each step is a call that the broker answers at the next change. Changes are not buffered: a slow loop may miss
    /// versions in between, but never the last one, even across restarts of the broker and the bus.
    /// - Parameter count: the change count after which to report changes; `nil` means the count at the first step.
    public func changes(since count: UInt64? = nil) -> PasteboardChanges {
        PasteboardChanges(application: application, names: [name], since: count)
    }

    /// Waits until this pasteboard is removed. Returns at once if it does not exist.
    ///
    /// If the pasteboard is removed and created again, this returns only if it was called before the removal.
    /// - Throws: errors of the broker; `storeUnavailable` if the task is cancelled.
    public func waitUntilRemoved() async throws(IPCError) {
        let start = try await application.boards.change(of: [name], since: nil).cursor
        do throws(IPCError) { _ = try await changeCount } catch {
            guard error.code == .noSuchPasteboard else { throw error }
            return
        }
        for try await change in changes(since: start) where change.isRemoved { return }
        throw IPCError(.storeUnavailable, "the wait for the removal of the pasteboard was cancelled")
    }
}

/// The changes to pasteboards; see ``Pasteboard/changes(since:)``.
///
/// The sequence buffers at most one answer of the broker, which has one row per changed pasteboard. It ends when the
/// task is cancelled or the application is closed, and throws errors of the broker, such as `limitExceeded`.
public struct PasteboardChanges: AsyncSequence, Sendable {
    public typealias Element = PasteboardChange
    public typealias Failure = IPCError

    let application: Application
    let names: [PasteboardName]
    let since: UInt64?

    public func makeAsyncIterator() -> Iterator { Iterator(application: application, names: names, cursor: since) }

    /// Returns one change after another.
    public struct Iterator: AsyncIteratorProtocol {
        let application: Application
        let names: [PasteboardName]
        var cursor: UInt64?
        var rows: ArraySlice<PasteboardChange> = []

        /// Returns the next change; `nil` if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(IPCError) -> PasteboardChange? {
            while rows.isEmpty {
                guard !Task.isCancelled else { return nil }
                do throws(IPCError) {
                    let answer = try await application.boards.change(of: names, since: cursor)
                    cursor = answer.cursor
                    rows = answer.changes[...]
                } catch {
                    if Task.isCancelled { return nil }
                    throw error
                }
            }
            return rows.popFirst()
        }
    }
}
