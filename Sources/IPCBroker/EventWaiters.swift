internal import IPCDBus

/// Tasks that wait for the same event.
@DBusActor
final class EventWaiters {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async { await withCheckedContinuation { waiting.append($0) } }

    func resumeOne() { if !waiting.isEmpty { waiting.removeFirst().resume() } }

    func resumeAll() {
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume() }
    }
}
