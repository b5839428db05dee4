internal import IPCDBus
internal import IPCModel
internal import IPCStore

// Store operations that pass their result to a closure on the I/O thread. They do without tasks, because resuming
// a task costs as much as a small operation.
extension Store {
    /// - Parameter board: the pasteboard, if the operation uses only one. The operation may then run on the I/O thread.
    func commit<Value: Sendable>(
        about board: PasteboardName? = nil, _ body: @escaping Operation<Value>, then: @escaping DelayedAnswer<Value>
    ) {
        commit(about: board) { transaction in
            let value = try body(transaction)
            return { _ in DBusActor.assumeIsolated { then(.success(value)) } }
        } failed: { error in
            DBusActor.assumeIsolated { then(.failure(error)) }
        }
    }

    func stage<Value: Sendable>(_ body: @escaping Operation<Value>, then: @escaping DelayedAnswer<Staged<Value>>) {
        stage { transaction in
            let value = try body(transaction)
            return { group in
                DBusActor.assumeIsolated { then(.success(Staged(value: value, group: group))) }
            }
        } failed: { error in
            DBusActor.assumeIsolated { then(.failure(error)) }
        }
    }
}
