internal import IPCModel
internal import Synchronization

/// The bytes of large values that are being copied, before any quota can count them: never more at a time than the
/// store may keep in that place.
final class ArrivingBytes: Sendable {
    private let limits: Limits
    private let onDisk = Mutex<UInt64>(0)
    private let inMemory = Mutex<UInt64>(0)

    init(_ limits: Limits) { self.limits = limits }

    /// Runs a copying of so many bytes; `LimitExceeded` where too much is on its way already.
    func during<Value>(
        _ bytes: UInt64, toDisk: Bool, _ body: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        try reserve(bytes, toDisk: toDisk)
        defer { release(bytes, toDisk: toDisk) }
        return try await body()
    }

    private func reserve(_ bytes: UInt64, toDisk: Bool) throws {
        let limits = limits
        do throws(LimitExceeded) {
            if toDisk {
                try onDisk.withLock { (use) throws(LimitExceeded) in
                    try limits.check(\.storedBytes, use: use, request: bytes)
                    use += bytes
                }
            } else {
                try inMemory.withLock { (use) throws(LimitExceeded) in
                    try limits.check(\.memoryBytes, use: use, request: bytes)
                    use += bytes
                }
            }
        } catch { throw PasteboardError.limitExceeded(error) }
    }

    private func release(_ bytes: UInt64, toDisk: Bool) {
        if toDisk { onDisk.withLock { $0 -= bytes } } else { inMemory.withLock { $0 -= bytes } }
    }
}
