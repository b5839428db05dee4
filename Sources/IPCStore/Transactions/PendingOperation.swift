/// An operation that somebody waits for.
protocol PendingOperation: Sendable {
    /// Whether it is answered as soon as it has run.
    var isStaged: Bool { get }

    /// Does the work and keeps the result, to be handed over when its time has come.
    ///
    /// What it throws is no answer to its caller: ``GroupLost`` or a fault.
    func run(_ session: StoreSession) throws -> FinishedOperation

    /// Answers with an error instead of a result.
    func fail(_ error: any Error)
}

/// An operation that has run.
struct FinishedOperation {
    /// Whether it wrote anything.
    let wrote: Bool
    /// Answers with the result.
    let answer: () -> Void
}

/// An operation whose caller awaits it.
struct AwaitedOperation<Value: Sendable>: PendingOperation {
    let isStaged: Bool
    let body: @Sendable (borrowing StoreTransaction) throws -> Value
    let continuation: UnsafeContinuation<Staged<Value>, any Error>

    func run(_ session: StoreSession) throws -> FinishedOperation {
        let continuation = continuation
        do {
            let staged = Staged(value: try session.perform(body), group: session.group)
            return FinishedOperation(wrote: session.operationWrote) { continuation.resume(returning: staged) }
        } catch let error where !error.isFault && !(error is GroupLost) {
            return FinishedOperation(wrote: false) { continuation.resume(throwing: error) }
        }
    }

    func fail(_ error: any Error) {
        continuation.resume(throwing: error)
    }
}
