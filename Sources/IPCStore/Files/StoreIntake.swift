package import IPCModel

extension Store {
    /// Times that something is tried which others prevent by moving the pasteboard meanwhile.
    static let attempts = 64

    /// Takes over the files of items for a pasteboard, and runs an operation with them that writes them on it.
    ///
    /// Where the pasteboard moves between disk and memory meanwhile, the files are taken again and the operation is
    /// repeated. Without a file the operation runs at once, so that a caller's small writes keep their order.
    ///
    /// - Parameters:
    ///   - name: the pasteboard; nil where the items go on none, and so never to the disk.
    ///   - persistent: where the pasteboard is kept if the operation makes it; `noSuchPasteboard` for nil.
    ///   - isSensitive: whether the items are never to be on the disk.
    ///   - onDisk: whether items that go on no pasteboard go to the disk all the same.
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

    /// Moves a pasteboard with its versions to the disk, or from it into memory, its large values included.
    nonisolated(nonsending) package func setPersistent(_ persistent: Bool, of name: PasteboardName) async throws {
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

    /// Copies the files of a pasteboard to the other place, those that were not copied before.
    nonisolated(nonsending) private func copies(
        of name: PasteboardName, toDisk: Bool, _ before: MovedFiles
    ) async throws -> MovedFiles {
        var files = MovedFiles()
        for key in try await commit({ try $0.fileKeys(of: name) }) {
            if let copy = before.taken[key] {
                files.taken[key] = copy
            } else if let file = try await commit({ try $0.file(key, of: name) }) {
                let copy = try await intake.take(file, toDisk: toDisk)
                // Large files are not compared with their digest when they are opened.
                if copy.knownDigest == file.knownDigest { files.taken[key] = copy } else { files.lost.insert(key) }
            } else {
                files.lost.insert(key)
            }
        }
        return files
    }

    static var movesTooOften: IPCError {
        IPCError(.limitExceeded, "the pasteboard changes faster than its large values can be copied; try again")
    }
}

/// The files of a pasteboard that is moved, by the keys of their rows.
package struct MovedFiles: Sendable {
    /// The copies in the place to which the pasteboard goes.
    package internal(set) var taken: [UInt64: ContentFile] = [:]
    /// The keys of files that are damaged, and stay behind.
    package internal(set) var lost: Set<UInt64> = []

    package init(taken: [UInt64: ContentFile] = [:], lost: Set<UInt64> = []) {
        (self.taken, self.lost) = (taken, lost)
    }
}

extension StoreTransaction {
    /// Whether a pasteboard is kept on the disk; `noSuchPasteboard` where there is none and none is to be made.
    func isPersistent(_ name: PasteboardName, ifNew persistent: Bool?) throws -> Bool {
        // The place of a damaged one is known as well.
        for area in Area.allCases where try session.boards.find(name, area) != nil { return area == .persistent }
        guard let persistent else { throw PasteboardError.noSuchPasteboard(name) }
        return persistent
    }

    /// The keys of all files of a pasteboard's versions.
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

    /// A file by the key of its row, opened anew; nil where it cannot be had.
    func file(_ key: UInt64, of name: PasteboardName) throws -> ContentFile? {
        let area = try session.histories.existing(name).area
        let value = try session.transaction.statement("SELECT * FROM @.representation WHERE id = ?", area)
            .first([.number(key)]) { row in
                try RepresentationRow(row).flatMap { try session.contents.value($0, row, area) }
            }
        guard case .file(let file)? = value else { return nil }
        return file
    }
}
