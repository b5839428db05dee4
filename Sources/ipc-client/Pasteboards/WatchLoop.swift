import IPC
import IPCModel
import IPCTools

/// `watch` from its first question to its end.
struct WatchLoop: Sendable {
    private let watch: Watch
    private let app: Application
    private let stop: StopSignal
    private let feed: ChangeFeed

    init(_ watch: Watch, _ app: Application, _ stop: StopSignal, since: UInt64) {
        (self.watch, self.app, self.stop) = (watch, app, stop)
        let output = watch.output
        feed = ChangeFeed(app, of: watch.boards, since: since) { error in
            try? output.warn(error.code.rawValue, "\(error.message); waiting for it")
        }
    }

    /// Tells changes until the count is reached, a signal comes, or nobody reads any more.
    func run() async throws(ToolFailure) {
        var told: UInt64 = 0
        var newest: [String: UInt64] = [:]
        var isResynchronizing = false
        while told != watch.count {
            guard let change = try await next() else { return }
            if change.isResync && !isResynchronizing {
                try watch.output.warn("Resync", "resync: every pasteboard that exists is told now; others are removed")
                // Counts of another store say nothing about this one.
                newest = [:]
            }
            isResynchronizing = change.isResync
            // A version that was told in place of an older one does not come again.
            guard change.isRemoved || change.changeCount > newest[change.name] ?? 0 else { continue }
            guard let event = try await event(change) else { continue }
            newest[change.name] = event.version?.changeCount
            guard try await tell(event) else { continue }
            told += 1
        }
    }

    private func next() async throws(ToolFailure) -> PasteboardChange? {
        let feed = feed
        return try await failing { try await stop.run(untilSignal: 1) { try await feed.next() } }
    }

    /// What is known of a change; nil where the pasteboard has moved on and its next change says more.
    private func event(_ change: PasteboardChange) async throws(ToolFailure) -> WatchEvent? {
        if change.isRemoved { return WatchEvent(change, nil) }
        let app = app
        let version = try await failing { () -> PasteboardVersionInfo? in
            do throws(IPCError) {
                let versions = try await Pasteboard(named: change.name, of: app).versions()
                return versions.first { $0.changeCount == change.changeCount } ?? versions.last
            } catch {
                guard error.code == .noSuchPasteboard else { throw error }
                return nil
            }
        }
        return version.map { WatchEvent(change, $0) }
    }

    /// - Returns: false where the content was gone before the command could have it; its next change comes.
    private func tell(_ event: WatchEvent) async throws(ToolFailure) -> Bool {
        guard let command = watch.command else {
            try watch.output.print(event.json, text: event.line)
            return true
        }
        let (app, stop, output) = (app, stop, watch.output)
        return try await failing {
            let content = try await event.content(of: app) { (error) throws(ToolFailure) in
                try output.warn(error.code.rawValue, error.message)
            }
            guard let content else { return false }
            let failure = try await stop.run(untilSignal: 2) {
                try await ChangeCommand(command).run(content.value, event.variables(type: content.type))
            }
            if let failure { try output.warn("CommandFailed", failure) }
            return true
        }
    }

    private func failing<Result>(_ body: () async throws -> Result) async throws(ToolFailure) -> Result {
        do { return try await body() } catch let failure as ToolFailure { throw failure } catch let error as IPCError {
            throw ToolFailure(error)
        } catch {
            throw ToolFailure(name: "Failed", message: "\(error)", exit: .failed)
        }
    }
}
