internal import IPCDBus
internal import IPCModel
internal import IPCStore

// Operations of the store without a task, because to resume one costs as much as a small operation. Their results come on the
// I/O thread.
extension Store {
    /// The same as ``commit(_:)``.
    /// - Parameter board: the only pasteboard of the operation, which may run on the I/O thread then.
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

    /// The same as ``stage(_:)``.
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
