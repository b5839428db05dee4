/// A bound for what waits in this process because peers do not read, of several connections together.
///
/// A bus keeps what is sent to programs that do not read; between peers it stays with the sender. Where the bound is
/// reached, the connection with the most ends, so there are never more bytes than the bound and one message.
@DBusActor
public final class OutgoingBound {
    private let most: Int
    private var waiting: [ObjectIdentifier: Waiting] = [:]

    private struct Waiting {
        weak var connection: Connection?
        weak var link: Link?
    }

    /// - Parameter most: bytes.
    public init(most: Int) { self.most = most }

    /// Bounds a connection from now on, until it ends.
    public func add(_ connection: Connection) {
        guard let link = connection.link else { return }
        let id = ObjectIdentifier(link)
        link.admits = { [weak self] in self?.admits(id) ?? true }
        link.waits = { [weak self, weak connection, weak link] in
            self?.waiting[id] = Waiting(connection: connection, link: link)
        }
    }

    /// Bytes that wait.
    public var count: Int { waiting.values.reduce(0) { $0 + ($1.link?.bytesWaiting ?? 0) } }

    private func admits(_ id: ObjectIdentifier) -> Bool {
        if waiting.isEmpty { return true }
        waiting = waiting.filter { ($0.value.link?.bytesWaiting ?? 0) > 0 }
        guard count >= most else { return true }
        guard let largest = waiting.max(by: { ($0.value.link?.bytesWaiting ?? 0) < ($1.value.link?.bytesWaiting ?? 0) })
        else { return true }
        waiting[largest.key] = nil
        largest.value.link?.admits = { false }
        // Not now: its end ends calls, whose ends may send in their turn.
        let connection = largest.value.connection
        DBusActor.thread.soon { DBusActor.assumeIsolated { connection?.drop() } }
        return largest.key != id
    }
}
