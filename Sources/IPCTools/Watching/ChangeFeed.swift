package import IPC

/// The pasteboard changes for one consumer. If the broker is absent, the feed waits longer than the library does. It
/// remembers its position when a connection is lost, so it misses no change.
package actor ChangeFeed {
    private let application: Application
    private let names: [PasteboardName]
    private var cursor: UInt64
    private var iterator: PasteboardChanges.Iterator
    private let absent: @Sendable (IPCError) async -> Void

    /// How long to wait for the broker's bus name. Then the feed calls the broker anyway, so that the bus can start it.
    private static let patience = Duration.seconds(60)
    /// The first pause if a running broker does not answer. Each further pause is twice as long, up to ``patience``.
    private static let firstPause = Duration.seconds(1)

    /// - Parameters:
    ///   - names: the pasteboards; empty means all.
    ///   - cursor: only changes after this change count are reported.
    ///   - absent: called when the broker is absent. The feed calls the broker again when the closure returns.
    package init(
        _ application: Application, of names: [PasteboardName], since cursor: UInt64,
        absent: @escaping @Sendable (IPCError) async -> Void
    ) {
        (self.application, self.names, self.cursor, self.absent) = (application, names, cursor, absent)
        iterator = application.changes(of: names, since: cursor).makeAsyncIterator()
    }

    /// The next change; nil when the task is cancelled.
    package func next() async throws -> PasteboardChange? {
        try await answer { try await self.ask() } ?? nil
    }

    private func ask() async throws(IPCError) -> PasteboardChange? {
        var questions = iterator
        do throws(IPCError) {
            let change = try await questions.next()
            iterator = questions
            if let change { cursor = change.cursor }
            return change
        } catch {
            // All known changes were returned before the call failed, so the feed continues at the cursor.
            iterator = application.changes(of: names, since: cursor).makeAsyncIterator()
            throw error
        }
    }

    /// Asks the broker a question, such as one about a change. If the broker does not answer, waits until it does, and
    /// then asks again.
    /// - Returns: nil if the task is cancelled meanwhile.
    package func answer<Answer: Sendable>(_ question: @Sendable () async throws -> Answer) async throws -> Answer? {
        while true {
            do { return try await question() } catch let error as IPCError where error.code.meansNoAnswer {
                if Task.isCancelled { return nil }
                await absent(error)
                await waitForAnswers()
                if Task.isCancelled { return nil }
            }
        }
    }

    /// Returns when the broker answers again, or the task is cancelled.
    private func waitForAnswers() async {
        var pause = Self.firstPause
        while !Task.isCancelled {
            let isThere = await application.bus.waitForBroker(atMost: Self.patience)
            if (try? await application.changeCount()) != nil { return }
            guard isThere else { continue }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, Self.patience)
        }
    }
}
