/// One pasteboard has moved.
public struct PasteboardChange: Sendable, Hashable {
    /// The pasteboard.
    public let name: String
    /// The change count of its current version; 0 when it was removed.
    public let changeCount: UInt64
    /// Whether it was removed.
    public var isRemoved: Bool { changeCount == 0 }
    /// Where to go on later: pass it as `since`, and no change is missed.
    public let cursor: UInt64
    /// Set on the first changes after the broker had forgotten what was removed since: every watched pasteboard that
    /// exists is told now; take any other as removed.
    public let isResync: Bool
}

extension Pasteboard {
    /// The changes of this pasteboard from a change count on, for as long as the loop asks.
    ///
    /// Each step is a question to the broker, answered at the next change. Nothing is buffered: who is slow misses
    /// versions in between, never the last one, over restarts of broker and bus too.
    /// - Parameter count: changes after this one; `nil` means from the first question on.
    public func changes(since count: UInt64? = nil) -> PasteboardChanges {
        PasteboardChanges(application, names: [name], since: count)
    }

    /// Waits until this pasteboard is removed; returns at once where there is none.
    ///
    /// One that was removed and made again meanwhile is told as removed only to who asked before.
    /// - Throws: what the broker refuses; `storeUnavailable` when the task is cancelled.
    public func removal() async throws(IPCError) {
        let start = try await application.boards.change(of: [name], since: nil).cursor
        do throws(IPCError) { _ = try await changeCount } catch {
            guard error.code == .noSuchPasteboard else { throw error }
            return
        }
        for try await change in changes(since: start) where change.isRemoved { return }
        throw IPCError(.storeUnavailable, "the wait for the removal of the pasteboard was cancelled")
    }
}

/// The changes of pasteboards; see ``Pasteboard/changes(since:)``.
///
/// Pull-driven, and so without a buffer that could grow: the only thing held is the rest of one answer, a row for each
/// pasteboard that moved. It ends when the task is cancelled or the application is closed, and throws what the broker
/// refuses, such as `limitExceeded`.
public struct PasteboardChanges: AsyncSequence, Sendable {
    public typealias Element = PasteboardChange
    public typealias Failure = IPCError

    private let application: Application
    private let names: [String]
    private let since: UInt64?

    init(_ application: Application, names: [String], since: UInt64?) {
        self.application = application
        self.names = names
        self.since = since
    }

    public func makeAsyncIterator() -> Iterator { Iterator(application, names, since) }

    /// Asks for one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let application: Application
        private let names: [String]
        private var cursor: UInt64?
        private var told: ArraySlice<PasteboardChange> = []

        init(_ application: Application, _ names: [String], _ cursor: UInt64?) {
            self.application = application
            self.names = names
            self.cursor = cursor
        }

        /// The next change; `nil` when the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(IPCError) -> PasteboardChange? {
            while told.isEmpty {
                guard !Task.isCancelled else { return nil }
                do throws(IPCError) {
                    let answer = try await application.boards.change(of: names, since: cursor)
                    cursor = answer.cursor
                    told = answer.changes[...]
                } catch {
                    if Task.isCancelled { return nil }
                    throw error
                }
            }
            return told.popFirst()
        }
    }
}
