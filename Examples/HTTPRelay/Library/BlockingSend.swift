@preconcurrency import Dispatch
import Synchronization

extension Relay {
    /// Sends a request and blocks the thread until the answer arrives; the synchronous style.
    ///
    /// Call this only on a thread of your own, such as a `Thread`. In a task, it blocks a thread of Swift's pool, and
    /// if it blocks all of them, no thread is left to deliver the answer.
    /// - Throws: the same errors as ``send(_:)``.
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

/// The result that a task hands to a waiting thread.
private final class Arrived<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func set(_ result: Result<Value, any Error>) { self.result.withLock { $0 = result } }

    func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else { preconditionFailure("nothing has arrived yet") }
        return try result.get()
    }
}
