internal import Glibc
internal import IPCModel

package struct SweepReport: Sendable, Hashable {
    /// The number of files that were removed: files without a row, and unfinished copies.
    package var removed = 0
    /// The number of files without a row that were moved to quarantine, beside a damaged database.
    package var putAside = 0
    /// The names of files that the store did not create, which are left alone; at most the first 100.
    package var unknown: [String] = []
}

/// Removes blobs left behind by a crash: those that no row ever referred to, and those whose removal was interrupted.
/// The sweep runs after the store has opened. The store's thread only looks up rows and renames files, a few at a time.
/// If the database was damaged or is missing, its blobs are moved beside it instead of being removed.
struct OrphanSweep: Sendable {
    let folder: BlobFolder
    /// The folder to which blobs are moved; `nil` to remove them.
    let quarantine: String?
    let threads: WorkerThreads

    private static let batch = 64
    private static let mostUnknown = 100

    /// - Parameter putAside: calls ``StoredFiles/putOrphansAside(_:in:)`` on the store's thread.
    func run(putAside: @Sendable ([UInt64]) async throws -> [String]) async throws -> SweepReport {
        var report = SweepReport()
        let folder = folder
        let listing = try await threads.run { try FolderListing(folder.path) }
        while true {
            let names = try await threads.run { listing.next(atMost: Self.batch) }
            guard !names.isEmpty else { return report }
            var removed: [String] = []
            var keys: [UInt64] = []
            for name in names {
                if let key = BlobFolder.key(of: name) {
                    keys.append(key)
                } else if BlobFolder.incomingNumber(of: name) == nil {
                    if report.unknown.count < Self.mostUnknown { report.unknown.append(name) }
                } else if !folder.isOwn(incoming: name) {
                    removed.append(name)
                }
            }
            if let quarantine, !keys.isEmpty { try await threads.run { _ = mkdir(quarantine, 0o700) } }
            let orphans = keys.isEmpty ? [] : try await putAside(keys)
            if quarantine == nil { removed += orphans } else { report.putAside += orphans.count }
            report.removed += removed.count
            let gone = removed
            try await threads.run { folder.remove(gone) }
        }
    }
}
