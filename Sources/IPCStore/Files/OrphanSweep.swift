internal import Glibc
internal import IPCModel

package struct SweepReport: Sendable, Hashable {
    /// The count of removed files: those without a row, and unfinished copies.
    package var removed = 0
    /// The count of files without a row that were moved beside a damaged database.
    package var putAside = 0
    /// Foreign names, which stay; at most the first 100.
    package var unknown: [String] = []
}

/// The removal of blobs that a crash has left: never referred to by a row, or not removed yet.
///
/// It runs after the start. The store's thread only looks up rows and renames files, a few at a time. The blobs of a
/// damaged database are moved beside it, not removed.
struct OrphanSweep: Sendable {
    let folder: BlobFolder
    /// The folder for blobs; nil to remove them.
    let quarantine: String?
    let threads: WorkerThreads

    private static let batch = 64
    private static let mostUnknown = 100

    /// Sweeps the folder once.
    /// - Parameter putAside: ``StoredFiles/putOrphansAside(_:in:)``
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
