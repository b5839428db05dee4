package import IPCModel

extension Store {
    /// The maximum number of attempts at an operation if other callers keep moving the pasteboard to disk or memory.
    private static let attempts = 64

    /// Takes over the files of items for a pasteboard, and runs an operation that writes them. If the pasteboard moves
    /// between disk and memory meanwhile, the files are taken over again, and the operation is repeated. If there are
    /// no files, the operation runs at once, so that a caller's small writes keep their order.
    /// - Parameters:
    ///   - name: the pasteboard for the items; `nil` if they are not for a pasteboard.
    ///   - persistent: if the pasteboard does not exist, whether it will be on disk; `nil` to throw `noSuchPasteboard`.
    ///   - isSensitive: whether the items must never be on disk.
    ///   - onDisk: if `name` is `nil`, whether the items are kept on disk.
    nonisolated(nonsending) package func withIntake<Value: Sendable>(
        of items: [PasteboardItem], on name: PasteboardName?, persistent: Bool? = nil, isSensitive: Bool = false,
        toDisk onDisk: Bool = false,
        _ operation: nonisolated(nonsending) ([PasteboardItem]) async throws -> Value
    ) async throws -> Value {
        guard items.contains(where: { !$0.files.isEmpty }) else { return try await operation(items) }
        var toDisk = onDisk && name == nil && !isSensitive
        if let name, !isSensitive {
            toDisk = try await commit { try $0.isPersistent(name, ifNew: persistent) }
        }
        var taken = items
        for _ in 0..<Self.attempts {
            taken = try await intake.take(taken, persistent: toDisk, sensitive: isSensitive)
            do {
                return try await operation(taken)
            } catch let error as IntakeOutdated {
                toDisk = error.toDisk ?? toDisk
            }
        }
        throw Self.movesTooOften
    }

    /// Takes over the payload of a request, and runs an operation that begins or finishes the request. A request keeps
    /// its payload on disk, so the files of items are copied there before the operation runs. A version that is already
    /// on disk needs no copy. If a version is in memory and has files, the operation throws ``IntakeOutdated``. That
    /// version's items are then read and copied, and the operation runs again.
    nonisolated(nonsending) package func withPayload<Value: Sendable>(
        _ payload: RequestPayload, _ operation: nonisolated(nonsending) (RequestPayload) async throws -> Value
    ) async throws -> Value {
        switch payload {
        case .none, .withheld: return try await operation(payload)
        case .items(let items): return try await operation(.items(onDisk(items)))
        case .version(let name, let count):
            do {
                return try await operation(payload)
            } catch is IntakeOutdated {
                let items = try await commit { try $0.items(of: name, ReadOptions(changeCount: count)).items }
                return try await operation(.items(onDisk(items)))
            }
        }
    }

    nonisolated(nonsending) private func onDisk(_ items: [PasteboardItem]) async throws -> [PasteboardItem] {
        try await intake.take(items, persistent: true, sensitive: false)
    }

    /// Moves a pasteboard, with its versions and files, to disk or into memory.
    nonisolated(nonsending) package func setPersistent(_ persistent: Bool, of name: PasteboardName) async throws {
        var copied = CopiedContents()
        let result: Result<Void, any Error>
        do {
            var hasMore = true
            while hasMore {
                let before = copied
                (copied, hasMore) = try await commit(isLarge: before.next > 0) { transaction in
                    var copied = before
                    let hasMore = try transaction.copyAhead(of: name, persistent: persistent, &copied)
                    return (copied, hasMore)
                }
            }
            result = .success(try await move(name, persistent))
        } catch {
            result = .failure(error)
        }
        let all = copied
        // A store that has stopped deletes the copies at its next start.
        if !all.contents.isEmpty { _ = try? await stage { $0.endCopying(all) } }
        try result.get()
    }

    nonisolated(nonsending) private func move(_ name: PasteboardName, _ persistent: Bool) async throws {
        var files = MovedFiles()
        for _ in 0..<Self.attempts {
            let ready = files
            do {
                return try await commit { try $0.setPersistent(persistent, of: name, files: ready) }
            } catch is IntakeOutdated {
                files = try await copies(of: name, toDisk: persistent, files)
            }
        }
        throw Self.movesTooOften
    }

    /// Copies the files of a pasteboard to disk or into memory. Reuses the copies in `before`.
    nonisolated(nonsending) private func copies(
        of name: PasteboardName, toDisk: Bool, _ before: MovedFiles
    ) async throws -> MovedFiles {
        var files = MovedFiles()
        for key in try await commit({ try $0.fileKeys(of: name) }) {
            if let copy = before.taken[key] {
                files.taken[key] = copy
            } else if let file = try await commit({ try $0.file(key, of: name) }) {
                let copy = try await intake.take(file, toDisk: toDisk)
                // Opening a large file does not check its digest, so the copy is checked.
                if copy.knownDigest == file.knownDigest { files.taken[key] = copy } else { files.lost.insert(key) }
            } else {
                files.lost.insert(key)
            }
        }
        return files
    }

    private static var movesTooOften: IPCError {
        IPCError(.limitExceeded, "the pasteboard changes faster than its large values can be copied; try again")
    }
}

package struct MovedFiles: Sendable {
    /// Copies of files, by the keys of their rows: on disk if the pasteboard moves to disk, otherwise in memory.
    package internal(set) var taken: [UInt64: ContentFile] = [:]
    /// The keys of damaged or missing files, which are not moved.
    package internal(set) var lost: Set<UInt64> = []
}

extension StoreTransaction {
    /// Whether a pasteboard is on disk. If it does not exist, returns `persistent`, or throws `noSuchPasteboard` if
    /// `persistent` is `nil`.
    func isPersistent(_ name: PasteboardName, ifNew persistent: Bool?) throws -> Bool {
        // This also finds a pasteboard whose row is damaged.
        for area in Area.allCases where try session.boards.find(name, area) != nil { return area == .persistent }
        guard let persistent else { throw PasteboardError.noSuchPasteboard(name) }
        return persistent
    }

    func fileKeys(of name: PasteboardName) throws -> [UInt64] {
        let board = try session.histories.existing(name)
        var keys: Set<UInt64> = []
        for count in board.versions {
            guard let version = try? session.versions.version(count, of: name, board.area),
                let heads = try? session.contents.heads(of: version, name, board.area)
            else { continue }
            for (ordinal, head) in heads.enumerated() where head.kind == RepresentationRow.fileKind {
                keys.insert(ContentKeys(content: version.content).number(ordinal))
            }
        }
        return keys.sorted()
    }

    /// Opens a new descriptor for the file of the row with a key; `nil` if the file is damaged or missing.
    func file(_ key: UInt64, of name: PasteboardName) throws -> ContentFile? {
        let area = try session.histories.existing(name).area
        guard case .file(let file)? = try session.contents.value(.number(key), area) else { return nil }
        return file
    }
}
