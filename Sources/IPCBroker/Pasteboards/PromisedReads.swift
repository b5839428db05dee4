internal import IPCDBus
internal import IPCModel

/// Limits the number of reads that are waiting for promised values (I16). Such reads reserve no space for an answer
/// (``AnswerRoom``), because a writer may provide its value late or never.
@DBusActor
final class PromisedReads {
    private var counts: [BusName?: Int] = [:]
    private var count = 0
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    /// Runs the part of a read that waits for promised values, and then for space for the answer.
    /// - Throws: `LimitExceeded` for `promised-reads`; otherwise the error of `body`.
    func wait<Ready: Sendable>(
        of caller: BusName?, for body: @DBusActor () async throws -> Ready
    ) async throws -> Ready {
        let own = counts[caller] ?? 0
        try limits.checkShared(\.promisedReads, use: count, ofCaller: own)
        (count, counts[caller]) = (count + 1, own + 1)
        defer {
            count -= 1
            counts[caller] = counts[caller].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
        return try await body()
    }
}
