@preconcurrency import Dispatch
import Synchronization

extension Relay {
    /// Sends a request and blocks the thread until the answer arrives; the synchronous style.
    ///
    /// Call this only on a thread of your own, such as a `Thread`. In a task, it blocks a thread of Swift's pool, and
    /// if it blocks all of them, no thread is left to deliver the answer.
    /// - Throws: the same errors as ``send(_:)``.
    public func sendAndWait<Request: ServerRequest>(_ request: Request) throws -> Request.Answer {
        try Self.wait { try await send(request) }
    }

    /// Sends a request, notifies the delegate, and blocks the thread until the answer arrives.
    ///
    /// The delegate is called on the main actor, as in ``send(_:delegate:)``, so the main actor must not be blocked.
    /// When this returns or throws, the delegate's last method has returned.
    /// - Throws: the same errors as ``send(_:)``; the delegate is notified of them too.
    public func sendAndWait<Delegate: ServerRequestDelegate>(
        _ request: Delegate.Request, delegate: Delegate
    ) throws -> Delegate.Request.Answer {
        dispatchPrecondition(condition: .notOnQueue(.main))  // the main actor's queue
        return try Self.wait { try await send(request, notifying: delegate) }
    }

    private static func wait<Value: Sendable>(for body: @escaping @Sendable () async throws -> Value) throws -> Value {
        precondition(
            withUnsafeCurrentTask { $0 == nil }, "sendAndWait is for a thread of your own; in a task, await send")
        let arrival = DispatchSemaphore(value: 0)
        let arrived = Arrived<Value>()
        Task {
            do { arrived.set(.success(try await body())) } catch { arrived.set(.failure(error)) }
            arrival.signal()
        }
        arrival.wait()
        return try arrived.get()
    }
}

/// The result that a task hands to a waiting thread.
private final class Arrived<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func set(_ result: Result<Value, any Error>) { self.result.withLock { $0 = result } }

    /// The result, once it has arrived.
    func get() throws -> Value { try result.withLock { try $0!.get() } }
}
