/// The bus connections that own or have owned a handler's name. Idle connections are forgotten, except the current one.
struct HandlerConnections: Sendable, Equatable {
    struct Connection: Sendable, Equatable {
        let name: String
        var inFlight = Chain()
        /// The number of requests that are in flight on the connection, or dispatched for it.
        var requestCount = 0
        /// The sizes of requests that timed out but that the handler or the bus still holds, by delivery number.
        var overdue: [UInt64: UInt64] = [:]
        /// Whether the connection still had requests that had timed out (``overdue``) when it left the bus.
        private(set) var hadOverdue = false
        /// Whether the handler's direct connection was lost, so that the handler may have left the bus.
        private(set) var isInDoubt = false
        /// Whether the handler returned a request unread. It gets no more requests until it registers again.
        var hasRefused = false
        private(set) var isGone = false

        var isOpen: Bool { !hasRefused && !isGone }

        fileprivate var isQuiet: Bool { requestCount == 0 && overdue.isEmpty && !isInDoubt && !hasRefused }

        mutating func refuse() { hasRefused = !isGone }

        /// Notes that the handler may have left the bus. Returns `false` if that was already noted or it has left.
        mutating func doubt() -> Bool {
            guard !isInDoubt, !isGone else { return false }
            isInDoubt = true
            return true
        }

        mutating func trust() { isInDoubt = false }

        /// Notes that the handler has left the bus. Returns whether requests are still in flight on the connection.
        mutating func leave() -> Bool {
            hadOverdue = hadOverdue || !overdue.isEmpty
            overdue = [:]
            (isGone, hasRefused, isInDoubt) = (true, false, false)
            return !inFlight.isEmpty
        }
    }

    private var connections = Slots<Connection>()
    private(set) var current = Slot.none

    var areQuiet: Bool { connections.first { !$0.isQuiet } == nil }

    subscript(slot: Slot) -> Connection {
        get { connections[slot] }
        _modify { yield &connections[slot] }
    }

    func slot(of name: String) -> Slot? { connections.first { $0.name == name } }

    mutating func setCurrent(_ name: String?) {
        let former = current
        current = name.map { slot(of: $0) ?? connections.add(Connection(name: $0)) } ?? Slot.none
        discardIfQuiet(former)
    }

    @discardableResult
    mutating func change<Value>(_ name: String, _ body: (inout Connection) -> Value) -> Value? {
        guard let slot = slot(of: name) else { return nil }
        defer { discardIfQuiet(slot) }
        return body(&connections[slot])
    }

    mutating func discardIfQuiet(_ slot: Slot) {
        if slot != .none, slot != current, connections[slot].isQuiet { connections.remove(slot) }
    }
}
