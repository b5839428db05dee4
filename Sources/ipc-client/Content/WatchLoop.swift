import IPC
import IPCModel
import IPCTools

/// The loop of `watch`, which reports changes in order.
struct WatchLoop: Sendable {
    private let watch: Watch
    private let app: Application
    private let stop: StopSignal
    private let feed: ChangeFeed

    init(_ watch: Watch, of boards: [PasteboardName], _ app: Application, _ stop: StopSignal, since: UInt64) {
        (self.watch, self.app, self.stop) = (watch, app, stop)
        let output = watch.output
        feed = ChangeFeed(app, of: boards, since: since) { error in
            try? output.warn(error.code.rawValue, "\(error.message); waiting for the broker")
        }
    }

    /// Reports changes until the count is reached, a signal arrives, or the reader closes the output.
    func run() async throws {
        var count: UInt64 = 0
        var newest: [PasteboardName: UInt64] = [:]
        var isResynchronizing = false
        while count != watch.count {
            let feed = feed
            guard let change = try await stop.run(untilSignal: 1, { try await feed.next() }) else { return }
            if change.isResync && !isResynchronizing {
                try watch.output.warn(
                    "Resync", "resync: every pasteboard that exists is reported now; consider all others removed")
                // Forgets the reported change counts: the store may be another one now, whose counts are unrelated.
                newest = [:]
            }
            isResynchronizing = change.isResync
            // Skips a change if the loop has already reported this version, or a newer one.
            guard change.isRemoved || change.changeCount > newest[change.name] ?? 0 else { continue }
            guard let event = try await event(change) else { continue }
            newest[change.name] = event.version?.changeCount
            if try await report(event) { count += 1 }
        }
    }

    /// Returns a change with its version; nil if the pasteboard is gone, which the next change reports.
    private func event(_ change: PasteboardChange) async throws(IPCError) -> WatchEvent? {
        if change.isRemoved { return WatchEvent(change: change, version: nil) }
        do throws(IPCError) {
            let versions = try await Pasteboard(named: change.name, of: app).versions()
            let version = versions.first { $0.changeCount == change.changeCount } ?? versions.last
            return version.map { WatchEvent(change: change, version: $0) }
        } catch {
            guard error.code == .noSuchPasteboard else { throw error }
            return nil
        }
    }

    /// - Returns: false if the content was gone before the command could read it; a newer change then follows.
    private func report(_ event: WatchEvent) async throws -> Bool {
        let output = watch.output
        guard let command = watch.command else {
            try output.print(event.json, text: event.line(isLocal: OutputStream.output.isTerminal))
            return true
        }
        let content = try await event.content(of: app) { error in
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

/// One change, as `watch` reports it.
struct WatchEvent: Sendable {
    let change: PasteboardChange
    /// The current version; nil for a removal.
    let version: PasteboardVersionInfo?

    /// The change count of the version; the cursor for a removal.
    private var count: UInt64 { version?.changeCount ?? change.cursor }
    private var time: Timestamp { version?.writtenAt ?? .now }

    private var event: String {
        guard let version else { return "removed" }
        return version.itemCount == 0 ? "empty" : "set"
    }

    /// The fields, separated by tabs.
    /// - Parameter isLocal: whether the time is in local time, for people; otherwise it is in UTC.
    func line(isLocal: Bool) -> String {
        [
            time.text(isLocal: isLocal), change.name.text, String(count), event, String(version?.byteCount ?? 0),
            version?.types.distinct.joined(separator: ",") ?? "",
        ].joined(separator: "\t")
    }

    var json: JSONValue {
        let rest = [
            JSONValue.Member("event", .string(event)),
            change.isResync ? JSONValue.Member("resync", .boolean(true)) : nil,
            JSONValue.Member("cursor", .count(change.cursor)),
        ].compactMap { $0 }
        guard let version else {
            return .object(
                [
                    JSONValue.Member("pasteboard", .string(change.name.text)),
                    JSONValue.Member("change-count", .count(count)),
                    JSONValue.Member("time", .time(time)),
                ] + rest)
        }
        return .object(JSONValue.facts(version, of: change.name.text) + rest)
    }

    /// The environment variables for the command of `--exec`.
    func variables(type: String) -> [String: String] {
        [
            "IPC_BOARD": change.name.text,
            "IPC_CHANGE_COUNT": String(count),
            "IPC_EVENT": event,
            "IPC_TYPE": type,
            "IPC_SIZE": String(version?.byteCount ?? 0),
            "IPC_ITEM_COUNT": String(version?.itemCount ?? 0),
            "IPC_SOURCE": version?.source.application ?? "",
            "IPC_ONCE": isConsumed ? "1" : "",
        ]
    }

    /// Whether the content stays unread, because the version can be read only once or is sensitive.
    private var isConsumed: Bool { version.map { $0.isOnce || $0.isSensitive } ?? false }

    /// Reads the content of the first item in its preferred type; nil if this version is gone.
    /// - Parameter missing: called with the error if the content was promised, but the writer does not provide it.
    func content(
        of app: Application, missing: (IPCError) throws -> Void
    ) async throws -> (type: String, value: Representation.Value?)? {
        guard let version, !isConsumed, let type = version.types.first?.preferred else { return ("", nil) }
        let board = Pasteboard(named: change.name, of: app)
        do throws(IPCError) {
            return (type.text, try await board.content(forType: type, changeCount: version.changeCount))
        } catch {
            guard error.code == .noSuchItem || error.code == .noSuchPasteboard else { throw error }
            guard error.code == .noSuchItem, try await board.holds(version) else { return nil }
            try missing(error)
            return ("", nil)
        }
    }
}
