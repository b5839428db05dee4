import IPC
import IPCModel
import IPCTools

/// One change as `watch` tells it.
struct WatchEvent: Sendable {
    let change: PasteboardChange
    /// What is on the pasteboard now; nil where it was removed.
    let version: PasteboardVersionInfo?

    init(_ change: PasteboardChange, _ version: PasteboardVersionInfo?) {
        (self.change, self.version) = (change, version)
    }

    /// The number of the change: for a removal the cursor, since nothing is left that has one.
    private var count: UInt64 { version?.changeCount ?? change.cursor }
    private var time: UInt64 { version?.millisecondsSince1970 ?? Timestamp.now }

    private var event: String {
        guard let version else { return "removed" }
        return version.itemCount == 0 ? "empty" : "set"
    }

    /// Fields with tabs between.
    var line: String {
        [
            Timestamp.text(time), change.name, String(count), event, String(version?.byteCount ?? 0),
            version?.distinctTypes.joined(separator: ",") ?? "",
        ].joined(separator: "\t")
    }

    var json: JSONValue {
        let told = [
            JSONValue.Member("event", .string(event)),
            change.isResync ? JSONValue.Member("resync", .boolean(true)) : nil,
            JSONValue.Member("cursor", .count(change.cursor)),
        ].compactMap { $0 }
        guard let version else {
            return .object(
                [
                    JSONValue.Member("pasteboard", .string(change.name)),
                    JSONValue.Member("change-count", .count(count)),
                    JSONValue.Member("time", .count(time)),
                ] + told)
        }
        return .object(JSONValue.facts(version, of: change.name) + told)
    }

    /// What a command finds in its environment.
    func variables(type: String) -> [String: String] {
        [
            "IPC_BOARD": change.name,
            "IPC_CHANGE_COUNT": String(count),
            "IPC_EVENT": event,
            "IPC_TYPE": type,
            "IPC_SIZE": String(version?.byteCount ?? 0),
            "IPC_ITEM_COUNT": String(version?.itemCount ?? 0),
            "IPC_SOURCE": version?.source.application ?? "",
            "IPC_ONCE": isConsumed ? "1" : "",
        ]
    }

    private func isHeld(_ version: PasteboardVersionInfo, by board: Pasteboard) async throws(IPCError) -> Bool {
        do throws(IPCError) { return try await board.holds(version) } catch {
            guard error.code == .noSuchPasteboard else { throw error }
            return false
        }
    }

    /// Whether reading the content would take it from somebody else.
    private var isConsumed: Bool { version.map { $0.isOnce || $0.isSensitive } ?? false }

    /// The content of the first item in the one type that is read, and that type; nil where this version is gone.
    /// - Parameter missing: gets the reason where the content was promised and cannot be had.
    func content(
        of app: Application, missing: (IPCError) throws(ToolFailure) -> Void
    ) async throws -> (type: String, value: Representation.Value?)? {
        guard let version, !isConsumed, let type = version.types.first?.preferred else { return ("", nil) }
        let board = try Pasteboard(named: change.name, of: app)
        do throws(IPCError) {
            return (type.text, try await board.content(forType: type, changeCount: version.changeCount))
        } catch {
            guard error.code == .noSuchItem || error.code == .noSuchPasteboard else { throw error }
            guard error.code == .noSuchItem, try await isHeld(version, by: board) else { return nil }
            try missing(error)
            return ("", nil)
        }
    }
}
