import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// Imports an export into the broker, pasteboard by pasteboard.
@DBusActor
final class StoreImport {
    private let app: Application
    private let plan: ImportPlan
    private let allowReserved: Bool
    private(set) var versions: UInt64 = 0
    /// The number of versions that have expired since the export.
    private(set) var ended: UInt64 = 0
    /// The pasteboards that are left unchanged, because the export lacks their content.
    private(set) var untouched: [String] = []
    private var present: Set<String> = []
    private var filled: Set<String> = []
    private var target: Target?

    /// The pasteboard to which the following versions belong.
    private struct Target {
        let board: Pasteboard
        let historyLimit: UInt32
        /// Whether the pasteboard may have content from before the import, or from a version already imported.
        var hasOthers: Bool
        var isFirst = true
        /// Whether the newest version cannot be imported, so that the pasteboard must be empty at the end.
        var endsEmpty = false
    }

    init(_ app: Application, _ plan: ImportPlan, allowReserved: Bool) {
        (self.app, self.plan, self.allowReserved) = (app, plan, allowReserved)
    }

    func run(_ reader: ExportReader) async throws {
        // Raises change counts first, so that no pasteboard has a lower one than in the exported store.
        try await app.skipChangeCounts(to: reader.changeCount)
        for try await info in app.pasteboards() {
            present.insert(info.name.text)
            if info.itemCount > 0 { filled.insert(info.name.text) }
        }
        var reader = reader
        while let record = try reader.next() {
            switch record {
            case .pasteboard(let name, let isPersistent, let historyLimit):
                try await finishTarget()
                try await begin(name, isPersistent: isPersistent, historyLimit: historyLimit)
            case .version(let version): try await write(version, reader)
            case .header, .registration, .choice, .end: break
            }
        }
        try await finishTarget()
        for claim in plan.registrations {
            try await app.register(
                [URLScheme(claim.scheme)], for: ApplicationID(claim.application), persistent: true,
                allowReserved: allowReserved)
        }
        for choice in plan.choices {
            try await app.setDefault(ApplicationID(choice.application), for: URLScheme(choice.scheme))
        }
    }

    private func begin(_ name: String, isPersistent: Bool, historyLimit: UInt32) async throws {
        // An export leaves out secrets. If it has no content for a pasteboard, the present content must stay.
        guard !plan.withheld.contains(name) || !filled.contains(name) else {
            return untouched.append(name)
        }
        let isThere = present.contains(name)
        let board = try await app.pasteboard(named: PasteboardName(name), create: true, persistent: isPersistent)
        if isThere, try await board.isPersistent != isPersistent {
            try await board.setPersistent(isPersistent)
        }
        // Drops older versions, and the empty version of a new pasteboard: they are not part of the imported history.
        try await board.setHistoryLimit(0)
        target = Target(board: board, historyLimit: historyLimit, hasOthers: isThere)
    }

    private func write(_ version: ExportRecord.Version, _ reader: ExportReader) async throws {
        guard var target else { return }
        defer { self.target = target }
        let left = version.expires.map { Timestamp(millisecondsSince1970: $0) - .now }
        if left == .zero { ended += 1 }
        guard version.leftOut == nil && left != .zero else {
            target.endsEmpty = true
            return
        }
        target.endsEmpty = false
        let items = try reader.items(of: version)
        _ = try await target.board.restore(
            items, source: version.application,
            options: PasteboardOptions(timeToLive: left))
        versions += 1
        if target.isFirst { try await target.board.setHistoryLimit(target.historyLimit) }
        (target.isFirst, target.hasOthers) = (false, true)
    }

    private func finishTarget() async throws {
        guard let target else { return }
        if target.hasOthers && (target.endsEmpty || target.isFirst) { try await target.board.clear() }
        if target.isFirst { try await target.board.setHistoryLimit(target.historyLimit) }
        self.target = nil
    }
}
