import Foundation

/// Runs a long computation on its own thread.
///
/// Swift's concurrency runs all tests on one thread per core. A computation of minutes on such a thread would hold up
/// the other tests until their deadlines pass.
public func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}
