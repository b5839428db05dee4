internal import IPCModel

/// An operation whose caller is waiting for its result. It is not generic, because other modules cannot specialize a
/// generic type of this module: each operation would have to look up the type's metadata.
struct PendingOperation: Sendable {
    /// Runs the operation, and returns the closure that answers its caller.
    let body: Store.Operation<Store.Reply>
    let failed: @Sendable (any Error) -> Void
    /// Whether the caller is answered as soon as the operation has run, before its writes are on disk.
    var isStaged = false
    /// The only pasteboard that the operation uses, if it may run on its caller's thread; otherwise `nil`.
    var board: PasteboardName?
    /// Hands over closures that answer callers; `nil` if they are called on the store's thread.
    var handOver: (@Sendable ([@Sendable () -> Void]) -> Void)?

    /// Runs the operation, and returns an answer: its result, or an error that concerns only this operation.
    /// - Throws: ``GroupLost``, ``NeedsDisk`` or a fault.
    func run(_ session: StoreSession) throws -> FinishedOperation {
        do {
            let reply = try session.transaction.perform { try body(StoreTransaction(session)) }
            let group = session.transaction.group
            return FinishedOperation(wrote: session.transaction.operationWrote) { reply(group) }
        } catch let error where !error.isFault && !(error is GroupLost) && !(error is NeedsDisk) {
            return FinishedOperation(wrote: false) { failed(error) }
        }
    }

    func fail(_ error: any Error) {
        if let handOver { handOver([{ failed(error) }]) } else { failed(error) }
    }
}

struct FinishedOperation {
    let wrote: Bool
    /// Answers the caller. Called once.
    let answer: @Sendable () -> Void
}

extension PendingOperation {
    /// An operation whose result resumes a task.
    init<Value: Sendable>(
        resuming task: UnsafeContinuation<Staged<Value>, any Error>, isStaged: Bool = false,
        _ body: @escaping Store.Operation<Value>
    ) {
        self.init(
            body: { transaction in
                let value = try body(transaction)
                return { task.resume(returning: Staged(value: value, group: $0)) }
            }, failed: { task.resume(throwing: $0) }, isStaged: isStaged)
    }
}
