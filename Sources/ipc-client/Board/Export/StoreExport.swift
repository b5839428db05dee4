import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// Reads the store through the broker, version by version, and writes it to a folder. Each version is consistent, but
/// the store may change between two versions.
@DBusActor
struct StoreExport {
    private let app: Application
    let folder: ExportFolder
    private(set) var counts = Counts()
    /// The number of versions left out because they are sensitive, or because reading would consume them.
    private(set) var leftOut = 0
    /// The error message for each version that could not be read.
    private(set) var damaged: [String] = []
    /// A message for each version that is exported without some of its promised content.
    private(set) var unkept: [String] = []

    struct Counts: Sendable {
        var pasteboards: UInt64 = 0
        var versions: UInt64 = 0
        var registrations: UInt64 = 0
        var choices: UInt64 = 0
    }

    init(_ app: Application, to folder: ExportFolder) { (self.app, self.folder) = (app, folder) }

    mutating func run() async throws {
        for try await info in app.pasteboards() {
            // Leaves out unique pasteboards: each disappears with its creator, and no other program can recreate it.
            guard !info.name.isUnique else { continue }
            try await add(info)
        }
        for try await handler in app.handlers() {
            if handler.kind == "persistent" {
                try folder.add(.registration(scheme: handler.scheme.text, application: handler.application))
                counts.registrations += 1
            }
            if handler.isDefault {
                try folder.add(.choice(scheme: handler.scheme.text, application: handler.application))
                counts.choices += 1
            }
        }
        try folder.finish(changeCount: try await app.changeCount())
    }

    private mutating func add(_ info: PasteboardInfo) async throws {
        let board = Pasteboard(named: info.name, of: app)
        guard let limit = try await present({ () throws(IPCError) in try await board.historyLimit }) else { return }
        try folder.add(.pasteboard(name: info.name.text, isPersistent: info.isPersistent, historyLimit: limit))
        counts.pasteboards += 1
        var last: UInt64 = 0
        // If the current version is replaced before it is read, lists the versions again, to read the newer one.
        for _ in 0..<8 {
            let held = try await present { () throws(IPCError) in try await board.versions() } ?? []
            let versions = held.filter { $0.changeCount > last }
            guard let current = versions.last else { return }
            var isRead = false
            for version in versions { isRead = try await add(version, of: board) }
            last = current.changeCount
            if isRead { return }
        }
        damaged.append("the pasteboard \(info.name.text.quoted) changes faster than it can be read")
    }

    /// - Returns: false if the version is no longer on the pasteboard.
    private mutating func add(_ version: PasteboardVersionInfo, of board: Pasteboard) async throws -> Bool {
        guard !version.isOnce && !version.isSensitive else {
            leftOut += 1
            try folder.add(.version(record(version, leftOut: version.isSensitive ? "sensitive" : "once")))
            return true
        }
        let items: [PasteboardItem]
        do throws(IPCError) { items = try await content(of: version, board) } catch {
            guard error.code == .noSuchItem || error.code == .noSuchPasteboard || error.code == .inputOutput else {
                throw error
            }
            guard try await board.holds(version) else { return false }
            damaged.append(error.message)
            try folder.add(.version(record(version, leftOut: "unreadable")))
            return true
        }
        let values = try items.map { try $0.representations.map { try folder.value($0) } }
        try folder.add(.version(record(version, values)))
        counts.versions += 1
        return true
    }

    /// Reads the items of a version, without promised content that the writer does not provide.
    /// - Throws: `noSuchItem` if the version is gone, or if none of it can be read.
    private mutating func content(
        of version: PasteboardVersionInfo, _ board: Pasteboard
    ) async throws(IPCError) -> [PasteboardItem] {
        let broken: IPCError
        do throws(IPCError) { return try await board.version(version.changeCount).items } catch {
            guard error.code == .noSuchItem else { throw error }
            broken = error
        }
        var (items, missing): ([PasteboardItem], [String]) = ([], [])
        for (place, types) in version.types.enumerated() {
            var there: [Representation] = []
            for type in types {
                do throws(IPCError) {
                    let value = try await board.content(
                        forType: type, item: UInt32(place), changeCount: version.changeCount)
                    there.append(Representation(type: type, value: value))
                } catch {
                    guard error.code == .noSuchItem else { throw error }
                    missing.append("\(type) of item \(place)")
                }
            }
            // An item is left out if all its content was promised and none is provided.
            if let item = try? PasteboardItem(there) { items.append(item) }
        }
        // If the version is gone, its content is missing for that reason, and not because its writer broke a promise.
        guard !items.isEmpty, try await board.holds(version) else { throw broken }
        if !missing.isEmpty {
            unkept.append(
                "version \(version.changeCount) of the pasteboard \(board.name.text.quoted) lacks "
                    + missing.joined(separator: ", "))
        }
        return items
    }

    private func record(
        _ version: PasteboardVersionInfo, _ items: [[ExportRecord.Value]] = [], leftOut: String? = nil
    ) -> ExportRecord.Version {
        ExportRecord.Version(
            changeCount: version.changeCount, time: version.writtenAt?.millisecondsSince1970,
            expires: version.expiresAt?.millisecondsSince1970, application: version.source.application,
            strength: version.source.strength.rawValue, leftOut: leftOut, items: items)
    }

    /// Returns the broker's answer; nil if the pasteboard was removed after it was listed.
    private func present<Answer>(
        _ question: () async throws(IPCError) -> Answer
    ) async throws(IPCError) -> Answer? {
        do throws(IPCError) { return try await question() } catch {
            guard error.code == .noSuchPasteboard else { throw error }
            return nil
        }
    }
}
