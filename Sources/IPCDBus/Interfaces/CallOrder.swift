/// Lets handlers begin in the order of their calls, whether they begin at once or in a task.
///
/// A task begins a little later than it is made, and may come to the thread again on its way also where it need not wait.
/// What could begin at once waits until each task before it has come to its end or waits for
/// something, or it would overtake an earlier call of its caller.
@DBusActor
package enum CallOrder {
    private enum Call {
        case task(@DBusActor @Sendable () async -> Void)
        case atOnce(@DBusActor @Sendable () -> Void)
    }

    private static var waiting: [Call] = []
    /// How often the thread had run out of work when the last handler began in a task.
    private static var lastBegun: UInt64?

    /// Lets a handler begin that may suspend.
    package static func begin(_ handler: @escaping @DBusActor @Sendable () async -> Void) {
        guard waiting.isEmpty else { return waiting.append(.task(handler)) }
        start(handler)
    }

    /// Lets a handler begin that does not suspend: at once, if nobody is before it.
    package static func begin(atOnce handler: @escaping @DBusActor @Sendable () -> Void) {
        guard !waiting.isEmpty || lastBegun == DBusActor.thread.pauses else { return handler() }
        if waiting.isEmpty { DBusActor.thread.whenIdle { DBusActor.assumeIsolated { goOn() } } }
        waiting.append(.atOnce(handler))
    }

    private static func start(_ handler: @escaping @DBusActor @Sendable () async -> Void) {
        lastBegun = DBusActor.thread.pauses
        DBusActor.task { await handler() }
    }

    /// Lets those begin that wait, up to the next that has a task; what one of them starts comes before the next.
    private static func goOn() {
        let calls = waiting
        (waiting, lastBegun) = ([], nil)
        for (place, call) in calls.enumerated() {
            switch call {
            case .atOnce(let handler): handler()
            case .task(let handler): start(handler)
            }
            guard lastBegun == DBusActor.thread.pauses, place + 1 < calls.count else { continue }
            waiting += calls[(place + 1)...]
            return DBusActor.thread.whenIdle { DBusActor.assumeIsolated { goOn() } }
        }
    }
}
