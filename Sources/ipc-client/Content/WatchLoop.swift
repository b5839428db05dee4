import IPC
import IPCModel
import IPCTools

/// The loop of `watch`, which reports changes in order.
struct WatchLoop: Sendable {
    private let watch: Watch
    private let app: Application
    private let stop: StopSignal
    private let feed: ChangeFeed
    private let since: UInt64

    init(_ watch: Watch, of boards: [PasteboardName], _ app: Application, _ stop: StopSignal, since: UInt64) {
        (self.watch, self.app, self.stop, self.since) = (watch, app, stop, since)
        let output = watch.output
        feed = ChangeFeed(app, of: boards, since: since) { error in
            try? output.warn(error.code.rawValue, "\(error.message); waiting for the broker")
        }
    }

    /// Reports changes until the count is reached, a signal arrives, or the reader closes the output.
    func run() async throws {
        var count: UInt64 = 0
        var newest: [PasteboardName: UInt64] = [:]
        // After a resync, the numbers may come from another store, so no version counts as skipped.
        var start: UInt64? = since
        var isResynchronizing = false
        while count != watch.count {
            let feed = feed
            guard let change = try await stop.run(untilSignal: 1, { try await feed.next() }) else { return }
            if change.isResync && !isResynchronizing {
                try watch.output.warn(
                    "Resync", "resync: every pasteboard that exists is reported now; consider all others removed")
                // Forgets the reported change counts: the store may be another one now, whose counts are unrelated.
                (newest, start) = ([:], nil)
            }
            isResynchronizing = change.isResync
            // Skips a change if the loop has already reported this version, or a newer one.
            guard change.isRemoved || change.changeCount > newest[change.name] ?? 0 else { continue }
            let last = newest[change.name] ?? start
            guard let events = try await answer({ try await events(change, after: last) }) else { return }
            for event in events where count != watch.count {
                newest[change.name] = event.count
                if try await report(event) { count += 1 }
            }
        }
    }

    /// Asks the broker until it answers.
    /// - Returns: nil if a signal arrives first.
    private func answer<Answer: Sendable>(
        _ question: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer? {
        let feed = feed
        return try await stop.run(untilSignal: 1) { try await feed.answer(question) }
    }

    /// Returns a change with its version or, with `--every-version`, with each version after a change count. Returns
    /// nothing if the pasteboard is gone, which the next change reports.
    private func events(_ change: PasteboardChange, after last: UInt64?) async throws(IPCError) -> [WatchEvent] {
        if change.isRemoved { return [WatchEvent(change: change, version: nil)] }
        do throws(IPCError) {
            let versions = try await Pasteboard(named: change.name, of: app).versions()
            guard !watch.everyVersion else { return WatchEvent.all(versions, of: change, after: last) }
            let version = versions.first { $0.changeCount == change.changeCount } ?? versions.last
            return version.map { [WatchEvent(change: change, version: $0)] } ?? []
        } catch {
            guard error.code == .noSuchPasteboard else { throw error }
            return []
        }
    }

    /// - Returns: false if the content was gone before the command could read it, so that a newer change follows, or
    ///   if a signal arrived first.
    private func report(_ event: WatchEvent) async throws -> Bool {
        guard let command = watch.command else { return try await print(event) }
        let (output, app) = (watch.output, app)
        let content = try await answer {
            try await event.content(of: app) { error in try output.warn(error.code.rawValue, error.message) }
        }
        guard let content = content ?? nil else { return false }
        let failure = try await stop.run(untilSignal: 2) {
            try await ChangeCommand(command).run(content.value, event.variables(type: content.type))
        }
        if let failure { try output.warn("CommandFailed", failure) }
        return true
    }

    /// - Returns: as for `report`.
    private func print(_ event: WatchEvent) async throws -> Bool {
        var items: [PasteboardItem]?
        if watch.content {
            let app = app
            do {
                guard let found = try await answer({ try await event.items(of: app) }) else { return false }
                items = found
            } catch let error as IPCError where error.code == .noSuchItem || error.code == .noSuchPasteboard {
                return false
            }
        }
        try watch.output.print(
            event.json(items), text: event.line(isLocal: OutputStream.output.isTerminal),
            end: watch.null ? .null : .newline)
        return true
    }
}

/// One change, as `watch` reports it.
struct WatchEvent: Sendable {
    let change: PasteboardChange
    /// The reported version; nil for a removal.
    let version: PasteboardVersionInfo?
    /// With `--every-version`, how many versions before this one may have been overwritten unseen.
    var skipped: UInt64 = 0

    /// The events for each version of a pasteboard after a change count, the oldest first. All pasteboards share one
    /// counter of changes, so the number of skipped versions is known only if it is 0. Otherwise, it is at most the
    /// number of changes in between.
    static func all(
        _ versions: [PasteboardVersionInfo], of change: PasteboardChange, after last: UInt64?
    ) -> [WatchEvent] {
        let new = versions.drop { $0.changeCount <= last ?? 0 }
        var events = new.map { WatchEvent(change: change, version: $0) }
        if let last, let first = new.first, new.count == versions.count {
            events[0].skipped = first.changeCount - last - 1
        }
        return events
    }

    /// The change count of the version; the cursor for a removal.
    var count: UInt64 { version?.changeCount ?? change.cursor }
    private var time: Timestamp { version?.writtenAt ?? .now }

    private var event: String {
        guard let version else { return "removed" }
        return version.itemCount == 0 ? "empty" : "set"
    }

    /// The event in the words of wl-clipboard's `CLIPBOARD_STATE`.
    private var state: String {
        guard let version else { return "nil" }
        if version.itemCount == 0 { return "clear" }
        return version.isSensitive ? "sensitive" : "data"
    }

    /// The fields, separated by tabs.
    /// - Parameter isLocal: whether the time is in local time, for people; otherwise it is in UTC.
    func line(isLocal: Bool) -> String {
        [
            time.text(isLocal: isLocal), change.name.text, String(count), event, String(version?.byteCount ?? 0),
            version?.types.distinct.joined(separator: ",") ?? "", skipped == 0 ? nil : "skipped \(skipped)",
        ].compactMap(\.self).joined(separator: "\t")
    }

    /// - Parameter items: the content; nil to leave it out.
    func json(_ items: [PasteboardItem]?) -> JSONValue {
        let rest = [
            JSONValue.Member("event", .string(event)),
            items.map { JSONValue.Member("items", .items($0, most: InputFile.mostBytes)) },
            skipped == 0 ? nil : JSONValue.Member("skipped", .count(skipped)),
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
            "IPC_STATE": state,
            "IPC_SKIPPED": String(skipped),
            "IPC_TYPE": type,
            "IPC_SIZE": String(version?.byteCount ?? 0),
            "IPC_ITEM_COUNT": String(version?.itemCount ?? 0),
            "IPC_SOURCE": version?.source.application ?? "",
            "IPC_ONCE": isConsumed ? "1" : "",
        ]
    }

    /// Whether the content stays unread, because the version can be read only once or is sensitive.
    private var isConsumed: Bool { version.map { $0.isOnce || $0.isSensitive } ?? false }

    /// Reads all items; nil if there is no content, or if reading would consume it.
    /// - Throws: `noSuchItem`, `noSuchPasteboard` if the version is gone.
    func items(of app: Application) async throws(IPCError) -> [PasteboardItem]? {
        guard let version, version.itemCount > 0, !isConsumed else { return nil }
        return try await Pasteboard(named: change.name, of: app).version(version.changeCount).items
    }

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
