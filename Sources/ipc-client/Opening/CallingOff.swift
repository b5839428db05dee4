import IPC
import IPCTools

import class IPCDBus.DBusActor

/// The wait for an outcome, in which a signal calls the request off.
enum CallingOff {
    /// Waits in `body`. The first SIGINT, SIGTERM or SIGHUP calls the request off, and the wait goes on: the outcome says
    /// whether it came in time. The second one ends the process as any signal does.
    /// - Parameter id: the id of the request.
    @DBusActor
    static func bySignal<Result, Failure: Error>(
        _ id: String, of app: Application, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let stop = StopSignal()
        stop.listen()
        return try await stop.run(
            atSignal: 1,
            {
                StopSignals.leaveToSystem()
                // What is not accepted yet is called off by the broker all the same: it reads our calls in order.
                DBusActor.task { try? await app.cancelRequest(id) }
            }, body)
    }
}
