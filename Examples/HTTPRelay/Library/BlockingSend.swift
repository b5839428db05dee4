@preconcurrency import Dispatch
import Synchronization

extension Relay {
    /// Sends a request and blocks the thread until there is the answer; synchronous style.
    ///
    /// Only for a thread of your own, such as one of `Thread`: a task that is blocked keeps a thread of Swift's pool from
    /// all others, and with as many of them as there are cores nobody is left to bring the answer.
    /// - Throws: as ``send(_:)``.
    public func sendAndWait<Request: ServerRequest>(_ request: Request) throws -> Request.Answer {
        precondition(
            withUnsafeCurrentTask { $0 == nil }, "sendAndWait is for a thread of your own; in a task, await send")
        let arrival = DispatchSemaphore(value: 0)
        let result = Arrived<Request.Answer>()
        Task {
            do {
                result.set(.success(try await send(request)))
            } catch {
                result.set(.failure(error))
            }
            arrival.signal()
        }
        arrival.wait()
        return try result.get()
    }
}

/// What a task leaves for a thread that waits.
private final class Arrived<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func set(_ result: Result<Value, any Error>) { self.result.withLock { $0 = result } }

    func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else { preconditionFailure("nothing has arrived yet") }
        return try result.get()
    }
}
