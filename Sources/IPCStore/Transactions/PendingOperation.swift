internal import IPCModel

/// An operation with a caller that waits for its result.
protocol PendingOperation: Sendable {
    /// Whether it is answered as soon as it has run.
    var isStaged: Bool { get }

    /// The only pasteboard of an operation that may run on its caller's thread; nil for any other operation.
    var board: PasteboardName? { get }

    /// Runs the operation, and returns its result or its own error as an answer.
    /// - Throws: ``GroupLost``, ``NeedsDisk`` or a fault.
    func run(_ session: StoreSession) throws -> FinishedOperation

    func fail(_ error: any Error)
}

struct FinishedOperation {
    let wrote: Bool
    let answer: Answer
}

/// The answer to an operation, to be given once.
enum Answer {
    /// Given on the store's thread.
    case here(() -> Void)
    /// Handed over, together with others; see ``StoreConfiguration/handOver``.
    case elsewhere(@Sendable () -> Void)

    func give(_ handOver: ([@Sendable () -> Void]) -> Void) {
        switch self {
        case .here(let answer): answer()
        case .elsewhere(let answer): handOver([answer])
        }
    }
}

enum Receiver<Value: Sendable>: Sendable {
    case task(UnsafeContinuation<Staged<Value>, any Error>)
    case closure(@Sendable (Result<Staged<Value>, any Error>) -> Void)

    func answer(_ result: Result<Staged<Value>, any Error>) -> Answer {
        switch self {
        case .task(let continuation): .here { continuation.resume(with: result) }
        case .closure(let then): .elsewhere { then(result) }
        }
    }
}

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

    func fail(_ error: any Error) { receiver.answer(.failure(error)).give(handOver) }
}
