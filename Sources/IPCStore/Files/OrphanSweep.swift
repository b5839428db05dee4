internal import Glibc
internal import IPCModel

/// What was found among the blobs after the start.
package struct SweepReport: Sendable, Hashable {
    /// Files that no row referred to, and copies that were never finished, all removed.
    package var removed = 0
    /// Files that no row referred to and that were put beside a damaged database.
    package var putAside = 0
    /// Names that are none of the store's, left as they are; at most the first 100.
    package var unknown: [String] = []

    package init() {}
}

/// The removal of blobs that a crash has left behind: written and never named by a row, or not yet removed.
///
/// It runs after the start, off the store's thread; on that only the rows are looked up and names changed, a few at a
/// time. Beside a damaged database that was put away its blobs are put away as well, not removed.
struct OrphanSweep: Sendable {
    let folder: BlobFolder
    /// Where blobs go to; nil where they are removed.
    let quarantine: String?
    let threads: WorkerThreads

    private static let batch = 64
    private static let mostUnknown = 100

    /// Looks through the folder once; `putAside` gives the files of keys that no row has a new name.
    func run(putAside: @Sendable ([UInt64]) async throws -> [String]) async throws -> SweepReport {
        var report = SweepReport()
        let folder = folder
        let listing = try await threads.run { try folder.listing() }
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
