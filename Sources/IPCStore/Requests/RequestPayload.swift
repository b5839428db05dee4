package import IPCModel

package enum RequestPayload: Sendable {
    case none
    /// Items that are on no pasteboard. Their files must already be on disk (``Store/withPayload(_:_:)``).
    case items([PasteboardItem])
    /// A version of a pasteboard. If it is on disk, it is held for the request; otherwise, it is copied to disk.
    case version(of: PasteboardName, changeCount: UInt64)
    /// A payload that must not be kept, such as a secret. The request cannot be retried.
    case withheld
}

enum KeptPayload {
    case none
    case withheld
    /// A version on disk, which the request will hold.
    case pin(VersionRow)
    /// A version on disk that expires, so the request will hold another version with the same content instead.
    case share(VersionRow)
    case write([RepresentationEntry], items: Int)
}

/// The payloads of requests: versions that requests hold, and that pasteboards may also keep.
final class RequestPayloads {
    private let transaction: GroupTransaction
    private let counter: ChangeCounter
    private let usage: UsageTally
    private let boards: Boards
    private let versions: Versions
    private let contents: Contents
    private let histories: Histories
    private let limits: VersionLimits

    init(
        _ transaction: GroupTransaction, _ counter: ChangeCounter, _ usage: UsageTally, _ boards: Boards,
        _ versions: Versions, _ contents: Contents, _ histories: Histories, _ limits: VersionLimits
    ) {
        (self.transaction, self.counter, self.usage, self.boards) = (transaction, counter, usage, boards)
        (self.versions, self.contents, self.histories, self.limits) = (versions, contents, histories, limits)
    }

    /// Checks whether a payload can be kept with a request. Writes nothing, except to remove expired versions.
    /// - Throws: ``IntakeOutdated`` if a file is not on disk, ``UnfulfilledPromises`` if promised values must be
    ///   fetched, `RequestError.notToBeKept` for a secret or content for one reader; read errors and exceeded limits.
    func keepable(_ payload: RequestPayload, of source: Source) throws -> KeptPayload {
        switch payload {
        case .none: return .none
        case .withheld: return .withheld
        case .items(let items):
            guard !items.contains(where: \.isMarkedSensitive) else { throw RequestError.notToBeKept }
            return try keepable(try RepresentationEntry.all(of: items, promises: []), items: items.count, of: source)
        case .version(let name, let count):
            return try keepable(name, count, of: source)
        }
    }

    private func keepable(_ name: PasteboardName, _ count: UInt64, of source: Source) throws -> KeptPayload {
        let (board, version) = try histories.version(count, of: name)
        guard !version.isSensitive, !version.isOnce else { throw RequestError.notToBeKept }
        if board.area == .persistent, version.writer.isEmpty {
            guard version.expiresAt != nil else { return .pin(version) }
            try checkRoom(for: version.usage, of: source)
            return .share(version)
        }
        let heads = try contents.heads(of: version, name, board.area)
        try checkIsSmall(heads, board.area)
        let promised = heads.enumerated().filter { $0.element.isPromise }
        guard promised.isEmpty else {
            throw contents.unfulfilled(promised.map { ($0.offset, $0.element) }, of: version, name)
        }
        if board.area == .persistent { return version.expiresAt == nil ? .pin(version) : .share(version) }
        return try keepable(try contents.entries(of: version, name, board.area), items: version.items, of: source)
    }

    /// Checks that a version of a pasteboard, if it is in memory, is small enough to be copied to disk within an
    /// operation. Otherwise, its files must be copied first, and its items written alone (``LargeOperations``).
    /// - Throws: ``IntakeOutdated``
    func checkIsSmall(_ name: PasteboardName, _ count: UInt64?) throws {
        let (board, version) = try histories.version(count, of: name)
        // Such a version is not kept with a request.
        guard !version.isSensitive, !version.isOnce else { return }
        try checkIsSmall(try contents.heads(of: version, name, board.area), board.area)
    }

    private func checkIsSmall(_ heads: [RepresentationRow], _ area: Area) throws {
        guard area == .volatile, !heads.contains(where: \.isPromise) else { return }
        let isSmall = LargeOperations.areSmall(inlineBytes: heads.reduce(0) { $0 + $1.size }, values: heads.count)
        guard isSmall, !heads.contains(where: { $0.kind == RepresentationRow.fileKind }) else {
            throw IntakeOutdated(toDisk: true)
        }
    }

    private func keepable(_ entries: [RepresentationEntry], items: Int, of source: Source) throws -> KeptPayload {
        try limits.checkExtent(items: items, representations: entries.count)
        try limits.checkFit(entries.map(\.row.size))
        let bytes = entries.reduce(0) { $0 + $1.row.size }
        try checkRoom(for: Usage(items: UInt64(items), bytes: bytes), of: source)
        return .write(entries, items: items)
    }

    /// Checks the limits before any row is written.
    private func checkRoom(for added: Usage, of source: Source) throws {
        usage.charge(added, to: source.application, .persistent)
        defer { usage.refund(added, to: source.application, .persistent) }
        try usage.check(with: added, of: source.application, .persistent)
    }

    func keep(_ payload: KeptPayload, with request: inout RequestRecord) throws {
        let version: VersionRow
        switch payload {
        case .none: return
        case .withheld:
            request.lacksPayload = true
            return
        case .pin(let held):
            try versions.setPins(held.pins + 1, of: held, .persistent)
            version = held
        case .share(let held):
            version = try snapshot(of: request.source) { version in
                version.content = held.content
                (version.items, version.representations, version.bytes) = (held.items, held.representations, held.bytes)
            }
        case .write(let entries, let items):
            version = try snapshot(of: request.source) { version in
                if !entries.isEmpty { version.content = version.changeCount }
                version.items = items
                try contents.write(entries, to: &version, .persistent)
            }
        }
        request.payloadVersion = version.changeCount
        request.payload = RequestRecord.Payload(items: UInt32(clamping: version.items), bytes: version.bytes)
    }

    /// Writes a version that is on no pasteboard and is held by one request.
    private func snapshot(
        of source: Source, _ fill: (inout VersionRow) throws -> Void
    ) throws -> VersionRow {
        var version = VersionRow(
            changeCount: try counter.take(), pasteboard: 0, source: source, time: transaction.now)
        version.pins = 1
        try fill(&version)
        try versions.insert(version, .persistent)
        return version
    }

    /// Releases the payload of a request. If a pasteboard still keeps the payload's version, the version stays.
    func release(of request: inout RequestRecord) throws {
        guard request.payloadVersion != 0 else { return }
        try releaseVersion(request.payloadVersion)
        (request.payload, request.payloadVersion, request.lacksPayload) = (nil, 0, true)
    }

    /// Removes one hold on a version. The last release deletes the version, unless its pasteboard still keeps it.
    func releaseVersion(_ count: UInt64) throws {
        guard let version = try versions.intact(count, .persistent) else { return }
        if version.pins <= 1, version.pasteboard != 0,
            let board = try boards.board(key: version.pasteboard, .persistent), board.versions.contains(count)
        {
            return try versions.setPins(0, of: version, .persistent)
        }
        try versions.release(count, .persistent)
    }

    /// Deletes versions that are on no pasteboard and belong to no request, because their requests' rows were damaged.
    func releaseUnheld() throws {
        var unheld: [UInt64] = []
        let statement = try transaction.statement(
            """
            SELECT change_count FROM @.version
            WHERE pasteboard = 0 AND change_count NOT IN (SELECT payload FROM @.open_request)
            """, .persistent)
        try statement.query { unheld.append($0.number(0)) }
        for count in unheld {
            if let version = try versions.intact(count, .persistent) { try versions.delete(version, .persistent) }
        }
    }

    /// Reads the payload of a request; `nil` if none is kept.
    /// - Throws: `RequestError.damagedPayload`
    func items(of request: RequestRecord) throws -> [PasteboardItem]? {
        guard request.payloadVersion != 0 else { return nil }
        let damage = RequestError.damagedPayload(request.id)
        guard let version = try versions.intact(request.payloadVersion, .persistent) else { throw damage }
        do {
            return try contents.content(of: version, types: nil, request.pasteboard ?? .general, .persistent).items
        } catch PasteboardError.damaged {
            throw damage
        }
    }

    func share(payloadOf ended: RequestRecord, with request: inout RequestRecord) throws {
        guard ended.payloadVersion != 0 else { return }
        guard let version = try versions.intact(ended.payloadVersion, .persistent) else {
            throw RequestError.damagedPayload(ended.id)
        }
        try versions.setPins(version.pins + 1, of: version, .persistent)
        (request.payload, request.payloadVersion) = (ended.payload, ended.payloadVersion)
    }
}
