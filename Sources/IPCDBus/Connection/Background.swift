private import Dispatch

/// A place for calls that block, off the I/O thread and off the cooperative pool.
package enum Background {
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }
}
