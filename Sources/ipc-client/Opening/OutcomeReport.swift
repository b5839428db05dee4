import IPC
import IPCDBus
import IPCModel
import IPCTools

struct OutcomeReport: Sendable {
    private let response: OpenURLResponse
    /// The URL of the request; nil if it is unknown.
    private let url: String?
    /// The sender's timeout, as on the command line; nil if it is unknown.
    private let waited: String?
    /// The id of the request that repeats this one; nil if there is none.
    private let retriedAs: String?

    init(_ response: OpenURLResponse, url: String?, waited: String?, retriedAs: String? = nil) {
        (self.response, self.url, self.waited, self.retriedAs) = (response, url, waited, retriedAs)
    }

    /// Prints the reply or, for a queued request, its id. With `--json`, prints all properties of the response.
    /// - Throws: the failure for an outcome that is not a success.
    func tell(_ output: OutputOptions) throws(ToolFailure) {
        do throws(ToolFailure) {
            if output.json {
                try output.write(json)
            } else if response.outcome == .queued {
                try OutputStream.output.writeLine(response.id.text)
            } else {
                try response.reply.writeFirst()
            }
        } catch {
            guard error != .outputClosed else { throw error }
            throw error.adding(
                "the outcome of the request \(response.id) is \(response.outcome.rawValue), so do not send it again")
        }
        // A user at a terminal wants to know which program got the URL.
        if !output.json, response.outcome == .delivered, OutputStream.error.isTerminal {
            try OutputStream.error.writeLine(
                "delivered to \(response.application.onOneLine); applications of this kind never report an outcome")
        }
        if let failure = failure(isTold: output.json) { throw failure }
    }

    /// The failure of the command; nil if the outcome is a success.
    /// - Parameter isTold: whether JSON has already reported the outcome, so that the failure needs no message.
    func failure(isTold: Bool) -> ToolFailure? {
        let outcome = response.outcome
        guard outcome.exit != .success else { return nil }
        let retry = retriedAs.map { "; it has since been queued again, as \($0)" } ?? ""
        return ToolFailure(name: outcome.rawValue, message: isTold ? "" : sentence + retry, exit: outcome.exit)
    }

    var json: JSONValue {
        .object([
            "id": .string(response.id.text),
            "url": url.map { .string($0) },
            "outcome": .string(response.outcome.rawValue),
            "application": .nonEmpty(response.application),
            "change-count": response.changeCount.map { .count($0) },
            "attempts": .unsigned(response.attempts),
            "retried-as": retriedAs.map { .string($0) },
            "reply": .items(response.reply),
            "error-name": response.errorName.map { .string($0) },
            "error-code": response.errorCode.map { .string($0) },
            "error-message": response.errorMessage.map { .string($0) },
        ])
    }

    var sentence: String {
        let application = response.application
        let time = waited.map { " within \($0)" } ?? " in time"
        return switch response.outcome {
        case .handled, .delivered, .queued: ""
        case .declined: "\(application) declined the URL\(because); to try another application, give --to ID"
        case .cancelled where response.isCalledOff:
            "the request was cancelled\(calledOffBecause)"
                + (retriedAs == nil ? "; send it again if you still want it" : "")
        case .cancelled:
            "\(application) cancelled the request\(because), perhaps because its user declined; find out before you "
                + "send it again"
        case .failed: "\(application) failed\(because)\(parked)"
        case .unavailable: "\(absence); start it yourself, and send the request again"
        case .timedOut where response.errorCode == OpenURLResponse.connectionLost:
            "\(response.errorMessage?.asTold ?? ""), after the request was sent; the request may have been handled, so "
                + "see 'ipc-client request show \(response.id)' when the broker is back"
        case .timedOut where waited == nil:
            "\(application) got the request but did not answer in time, and may have handled the request; see 'ipc-client "
                + "request wait \(response.id)' for the outcome, and 'ipc-client request trace \(response.id)' for its steps"
        case .timedOut:
            "\(application) got the request but did not answer\(time), and may have handled the request; wait longer with "
                + "--timeout, or see 'ipc-client request show \(response.id)' for a late answer"
        case .expired where waited == nil:
            "the request was not delivered to \(application) before it expired\(because); 'ipc-client request retry "
                + "\(response.id)' queues it again, and --time-to-live with --queue sets a longer time"
        case .expired:
            "the request was not delivered to \(application)\(time)\(because); try again, wait longer with --timeout, "
                + "or queue it with --queue"
        }
    }

    /// The message about an absent handler. Most reasons already name the handler, and need no further words.
    private var absence: String {
        let saysWho = response.errorMessage?.hasPrefix(response.application + " ") ?? false
        return saysWho ? String(because.dropFirst(2)) : "\(response.application) could not be started\(because)"
    }

    /// The advice for a parked (dead-lettered) request, whose handler has crashed too often; otherwise empty.
    private var parked: String {
        response.errorCode == "parked" ? "; fix the handler, then run 'ipc-client request retry \(response.id)'" : ""
    }

    /// Why the request was cancelled. The error code is left out, because it would only repeat the message.
    private var calledOffBecause: String { response.errorMessage.map { $0.isEmpty ? "" : ": \($0.asTold)" } ?? "" }

    /// A colon and the reasons for the outcome; empty if there are none.
    private var because: String {
        let reasons = [response.errorMessage, response.errorCode ?? response.errorName].compactMap { $0?.asTold }
            .filter { !$0.isEmpty }
        guard let first = reasons.first else { return "" }
        return ": \(first)" + reasons.dropFirst().map { " (\($0))" }.joined()
    }
}

extension [PasteboardItem] {
    /// Writes the first item byte for byte, preferably as plain text. Writes nothing if there are no items.
    func writeFirst() throws(ToolFailure) {
        guard let representation = first?.preferred else { return }
        var output = ContentOutput.standardOutput
        try output.write(representation.value)
    }
}

extension RequestOptions {
    /// Opens a URL with `open`, and cancels the request on a signal. If the request is queued, a signal does not cancel
    /// it, and stops the command as usual.
    @DBusActor
    func outcome(
        of app: Application, _ queueing: QueueOptions? = nil,
        _ open: (OpenOptions) async throws(IPCError) -> OpenURLResponse
    ) async throws(IPCError) -> OpenURLResponse {
        let options = try openOptions(queueing)
        guard !options.isQueued, let id = options.id else { return try await open(options) }
        do throws(IPCError) {
            return try await app.cancelling(id) { () async throws(IPCError) in try await open(options) }
        } catch {
            guard error.code == .handlerUnavailable, queueing != nil else { throw error }
            throw IPCError(.handlerUnavailable, error.message + ", or queue the request with --queue")
        }
    }

    /// Warns about a request that was queued for an unknown application, because the id may be misspelled.
    @DBusActor
    func warnOfAbsence(_ response: OpenURLResponse, _ url: String, of app: Application, _ output: OutputOptions) async {
        // Ignores failures of the calls to the bus and the broker, because the request is already on disk.
        guard response.outcome == .queued, let to, (try? await app.bus.isReachable(to)) == false,
            let claims = try? await app.resolve(url).candidates, !claims.contains(where: { $0.application == to })
        else { return }
        try? output.warn(
            "HandlerUnavailable",
            "the application \(to.quoted) is unknown: it is not running, the bus cannot start it, and it does not "
                + "claim the scheme; the request waits for it, and 'ipc-client request cancel \(response.id)' cancels it"
                + (await StatedName.application(to).clause()),
            id: response.id.text)
    }
}

extension Application {
    /// Runs `body`, which waits for an outcome. The first SIGINT, SIGTERM or SIGHUP cancels the request, and the
    /// outcome shows whether that was in time. The second signal kills the process as usual.
    @DBusActor
    func cancelling<Result, Failure: Error>(
        _ id: RequestID, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let stop = StopSignal()
        stop.listen()
        return try await stop.run(
            atSignal: 1,
            {
                StopSignals.leaveToSystem()
                // The broker reads our calls in order, so it also cancels a request that it has not accepted yet.
                DBusActor.task { try? await self.request(id).cancel() }
            }, body)
    }
}
