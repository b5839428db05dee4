import IPC
import IPCModel
import IPCTools

/// What `show` says of a pasteboard.
struct BoardSummary: Sendable {
    let name: String
    /// The versions that are held, the current one last.
    let versions: [PasteboardVersionInfo]
    let isPersistent: Bool
    let historyLimit: UInt32
    let preview: String?
    /// Milliseconds since 1970 UTC.
    var now = Timestamp.now

    var json: JSONValue {
        .object([
            "pasteboard": .string(name),
            "persistent": .boolean(isPersistent),
            "history-limit": .unsigned(historyLimit),
            "versions": .array(versions.map { .object(JSONValue.facts($0, of: name)) }),
            "preview": preview.map { .string($0) },
        ])
    }

    /// A line for each thing, its name in front.
    func text(style: Style) -> String {
        var lines = [("pasteboard", style.bold(name.printable)), ("kept", kept)]
        if let version = versions.last {
            lines += [("count", String(version.changeCount))]
            if let time = version.millisecondsSince1970 { lines.append(("changed", point(time))) }
            lines.append(("source", source(version)))
            if let end = version.endsMillisecondsSince1970 { lines.append(("expires", point(end))) }
            if version.isSensitive { lines.append(("sensitive", "in memory only, and read once")) }
            if version.isOnce && !version.isSensitive { lines.append(("once", "the first who reads it consumes it")) }
            lines.append(("content", content(version)))
            for (place, types) in version.types.enumerated() {
                lines.append(("item \(place)", types.map(\.text).joined(separator: ", ")))
            }
        }
        if let preview { lines.append(("preview", preview)) }
        return Table.named(lines)
    }

    private var kept: String {
        let place = isPersistent ? "persistent" : "in memory"
        let earlier = versions.count - 1
        guard earlier > 0 else { return "\(place), no earlier version (at most \(historyLimit))" }
        return "\(place), \(earlier) earlier version\(earlier == 1 ? "" : "s") (at most \(historyLimit))"
    }

    private func content(_ version: PasteboardVersionInfo) -> String {
        guard version.itemCount > 0 else { return "empty" }
        return "\(version.itemCount) item\(version.itemCount == 1 ? "" : "s"), \(ByteSize.text(version.byteCount))"
    }

    private func source(_ version: PasteboardVersionInfo) -> String {
        guard !version.source.application.isEmpty else { return "unknown" }
        return "\(version.source.application) (\(version.source.strength.rawValue))"
    }

    private func point(_ time: UInt64) -> String { Timestamp.told(time, now: now) }
}
