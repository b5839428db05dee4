import IPCDBus
import Testing

@Suite(.timeLimit(.minutes(1))) struct IOThreadTests {
    /// The thread polls the sockets after a number of rounds of jobs. Deferred work that the last of these rounds adds
    /// must run all the same, so try every number of rounds.
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
