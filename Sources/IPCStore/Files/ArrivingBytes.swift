internal import IPCModel
internal import Synchronization

/// The bytes of large values that are being copied, before a quota counts them: together never more than the limit of
/// their place.
final class ArrivingBytes: Sendable {
    private let limits: Limits
    /// The bytes on the way to the disk (true) and into memory (false).
    private let arriving = Mutex<[Bool: UInt64]>([:])

    init(_ limits: Limits) { self.limits = limits }

    /// Copies some bytes.
    /// - Throws: `LimitExceeded` if too many are being copied.
    func during<Value>(
        _ bytes: UInt64, toDisk: Bool, _ body: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        try arriving.withLock { arriving in
            let use = arriving[toDisk] ?? 0
            try limits.check(toDisk ? \.storedBytes : \.memoryBytes, use: use, request: bytes)
            arriving[toDisk] = use + bytes
        }
        defer { arriving.withLock { $0[toDisk]? -= bytes } }
        return try await body()
    }
}
