internal import IPCModel

/// An operation that somebody waits for.
protocol PendingOperation: Sendable {
    /// Whether it is answered as soon as it has run.
    var isStaged: Bool { get }

    /// The pasteboard that it is about, where it is about that alone and may run in the place of the store's thread.
    var board: PasteboardName? { get }

    /// Does the work and keeps the result, to be handed over when its time has come.
    ///
    /// What it throws is no answer to its caller: ``GroupLost``, ``NeedsDisk`` or a fault.
    func run(_ session: StoreSession) throws -> FinishedOperation

    /// Answers with an error instead of a result.
    func fail(_ error: any Error)
}

/// An operation that has run.
struct FinishedOperation {
    /// Whether it wrote anything.
    let wrote: Bool
    /// Answers with the result.
    let answer: Answer
}

/// The answer to an operation, to be given once.
enum Answer {
    /// Given on the store's thread.
    case here(() -> Void)
    /// Handed over together with others; see ``StoreConfiguration/handOver``.
    case elsewhere(@Sendable () -> Void)
}

/// Who gets the result of an operation.
enum Receiver<Value: Sendable>: Sendable {
    /// A task that awaits it.
    case task(UnsafeContinuation<Staged<Value>, any Error>)
    /// A closure that runs where results are handed over.
    case closure(@Sendable (Result<Staged<Value>, any Error>) -> Void)

    func answer(_ result: Result<Staged<Value>, any Error>) -> Answer {
        switch self {
        case .task(let continuation): .here { continuation.resume(with: result) }
        case .closure(let then): .elsewhere { then(result) }
        }
    }
}

/// An operation whose caller gets its result.
struct AnsweredOperation<Value: Sendable>: PendingOperation {
    let isStaged: Bool
    var board: PasteboardName?
    let body: @Sendable (borrowing StoreTransaction) throws -> Value
    let receiver: Receiver<Value>
    let handOver: @Sendable ([@Sendable () -> Void]) -> Void

    func run(_ session: StoreSession) throws -> FinishedOperation {
        do {
            let staged = Staged(
                value: try session.transaction.perform { try body(StoreTransaction(session)) },
                group: session.transaction.group)
            return FinishedOperation(
                wrote: session.transaction.operationWrote, answer: receiver.answer(.success(staged)))
        } catch let error where !error.isFault && !(error is GroupLost) && !(error is NeedsDisk) {
            return FinishedOperation(wrote: false, answer: receiver.answer(.failure(error)))
        }
    }

    func fail(_ error: any Error) {
        switch receiver.answer(.failure(error)) {
        case .here(let answer): answer()
        case .elsewhere(let answer): handOver([answer])
        }
    }
}
