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

    private static var waiting = Line<Call>()
    /// What those that have begun have started themselves, the last ones last: it comes before what waits.
    private static var inner: [Line<Call>] = []
    /// What the handler has started that begins now.
    private static var started = Line<Call>()
    /// Whether those that wait are just beginning.
    private static var goesOn = false
    /// How often the thread had run out of work when the last handler began in a task.
    private static var lastBegun: UInt64?

    /// Lets a handler begin that may suspend.
    package static func begin(_ handler: @escaping @DBusActor @Sendable () async -> Void) {
        if hasNobodyBefore { start(handler) } else { append(.task(handler)) }
    }

    /// Lets a handler begin that does not suspend: at once, if nobody is before it.
    package static func begin(atOnce handler: @escaping @DBusActor @Sendable () -> Void) {
        guard !hasNobodyBefore || lastBegun == DBusActor.thread.pauses else { return handler() }
        if hasNobodyBefore, !goesOn { goOnWhenIdle() }
        append(.atOnce(handler))
    }

    private static var hasNobodyBefore: Bool { goesOn ? started.isEmpty : waiting.isEmpty && inner.isEmpty }

    private static func append(_ call: Call) { if goesOn { started.append(call) } else { waiting.append(call) } }

    private static func start(_ handler: @escaping @DBusActor @Sendable () async -> Void) {
        lastBegun = DBusActor.thread.pauses
        DBusActor.task { await handler() }
    }

    private static func goOnWhenIdle() { DBusActor.thread.whenIdle { DBusActor.assumeIsolated { goOn() } } }

    /// Lets those begin that wait, up to the next that has a task; what one of them starts comes before the next.
    private static func goOn() {
        lastBegun = nil
        goesOn = true
        while let call = next() {
            switch call {
            case .atOnce(let handler): handler()
            case .task(let handler): start(handler)
            }
            if !started.isEmpty {
                inner.append(started)
                started = Line()
            }
            if lastBegun == DBusActor.thread.pauses { break }
        }
        goesOn = false
        if !hasNobodyBefore { goOnWhenIdle() }
    }

    private static func next() -> Call? {
        guard let last = inner.indices.last else { return waiting.takeFirst() }
        defer { if inner[last].isEmpty { inner.removeLast() } }
        return inner[last].takeFirst()
    }
}
