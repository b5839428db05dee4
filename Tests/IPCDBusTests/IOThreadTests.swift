import IPCDBus
import Testing

@Suite(.timeLimit(.minutes(1))) struct IOThreadTests {
    /// After some rounds of jobs, the thread polls the sockets, and deferred work may be added in the last round.
    @Test func deferredWorkRunsBeforeTheThreadSleeps() async {
        for rounds in 0..<200 {
            await withCheckedContinuation { continuation in
                DBusActor.task {
                    for _ in 0..<rounds { await Task.yield() }
                    DBusActor.whenIdle { continuation.resume() }
                }
            }
        }
    }
}
