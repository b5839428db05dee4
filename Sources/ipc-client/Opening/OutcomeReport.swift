import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// What a command that has opened a URL, or asks for a request, says of its outcome.
struct OutcomeReport: Sendable {
    private let response: OpenURLResponse
    private let url: String?
    /// How long was waited, as it was written; nil where nothing was said of it.
    private let waited: String?
    /// The request that this one was queued once more as.
    private let retriedAs: String?

    /// - Parameter url: nil where it is not known.
    init(_ response: OpenURLResponse, url: String?, waited: String?, retriedAs: String? = nil) {
        (self.response, self.url, self.waited, self.retriedAs) = (response, url, waited, retriedAs)
    }

    /// Prints the reply, or everything as JSON, or the id of a request that is on the disk. Throws what is no success.
    func tell(_ output: OutputOptions) throws(ToolFailure) {
        do throws(ToolFailure) {
            if output.json {
                try OutputStream.output.writeLine(json.text)
            } else if response.outcome == .queued {
                try OutputStream.output.writeLine(response.id)
            } else {
                try response.writeReply()
            }
        } catch {
            guard error != .outputClosed else { throw error }
            throw error.adding(
                "the request itself is \(response.outcome.rawValue), as \(response.id): do not send it again")
        }
        if !output.json, response.outcome != .queued {
            // A person at a terminal wants to know which program it was.
            if response.outcome == .delivered, OutputStream.error.isTerminal {
                try OutputStream.error.writeLine(
                    "given to \(response.application.onOneLine), which does not answer")
            }
        }
        if let failure = failure(isTold: output.json) { throw failure }
    }

    /// What the outcome makes of the command; nil for success.
    /// - Parameter isTold: whether the outcome has been printed as JSON, so that nothing is left to say.
    func failure(isTold: Bool) -> ToolFailure? {
        let outcome = response.outcome
        guard outcome.exit != .success else { return nil }
        let retry = retriedAs.map { "; since then it was queued once more, as \($0)" } ?? ""
        return ToolFailure(name: outcome.rawValue, message: isTold ? "" : sentence + retry, exit: outcome.exit)
    }

    var json: JSONValue {
        .object([
            "id": .string(response.id),
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

    /// What happened, and what to do next.
    var sentence: String {
        let application = response.application
        let time = waited.map { " within \($0)" } ?? " in time"
        return switch response.outcome {
        case .handled, .delivered, .queued: ""
        case .declined: "\(application) declined the URL\(because); another application may take it: --to ID"
        case .cancelled where response.isCalledOff:
            "the request was called off\(calledOffBecause)"
                + (retriedAs == nil ? "; send it again if you still want it" : "")
        case .cancelled:
            "\(application) called the request off\(because), perhaps because its user said no; find out before you send it "
                + "again"
        case .failed: "\(application) failed\(because)\(parked)"
        case .unavailable: "\(absence); start it yourself and send again"
        case .timedOut where response.errorCode == OpenURLResponse.connectionLost:
            "\(response.errorMessage?.asTold ?? ""), after the request had been sent; it may have been done. See 'ipc-client "
                + "requests show \(response.id)' when the broker is back"
        case .timedOut where waited == nil:
            "\(application) got the request and has not answered in time; it may have done it. See 'ipc-client requests "
                + "wait \(response.id)' for the outcome, and 'ipc-client trace \(response.id)' for its steps"
        case .timedOut:
            "\(application) got the request and has not answered\(time); it may have done it. Wait longer with "
                + "--timeout, or see 'ipc-client requests show \(response.id)' for an answer that came late"
        case .expired where waited == nil:
            "the request was not delivered to \(application) in its time\(because); 'ipc-client requests retry "
                + "\(response.id)' queues it once more, and --time-to-live gives it longer beside --queue"
        case .expired:
            "the request was not delivered to \(application)\(time)\(because); try again, wait longer with --timeout, or "
                + "leave it behind with --queue"
        }
    }

    /// That the receiver is not there, once: the reason mostly says so by itself.
    private var absence: String {
        let saysWho = response.errorMessage?.hasPrefix(response.application + " ") ?? false
        return saysWho ? String(because.dropFirst(2)) : "\(response.application) could not be started\(because)"
    }

    /// What to do with a request that has killed its receiver too often.
    private var parked: String {
        guard response.errorCode == "parked" else { return "" }
        return "; when it is mended: 'ipc-client requests retry \(response.id)'"
    }

    /// The reason alone; the code says nothing more than the sentence.
    private var calledOffBecause: String { response.errorMessage.map { $0.isEmpty ? "" : ": \($0.asTold)" } ?? "" }

    /// The reason in parentheses or after a colon, where there is one.
    private var because: String {
        let reasons = [response.errorMessage, response.errorCode ?? response.errorName].compactMap { $0?.asTold }
            .filter { !$0.isEmpty }
        return switch reasons.count {
        case 0: ""
        case 1: ": \(reasons[0])"
        default: ": \(reasons[0]) (\(reasons[1]))"
        }
    }
}

extension OpenURLResponse {
    /// Writes the first item of the reply, as plain text where it has it, byte for byte.
    func writeReply() throws(ToolFailure) { try reply.writeFirst() }
}

extension [PasteboardItem] {
    /// Writes the first item, as plain text where it has it, byte for byte; nothing where there is none.
    func writeFirst() throws(ToolFailure) {
        guard let representation = first?.preferred else { return }
        var output = ContentOutput.standardOutput
        try output.write(representation.value)
    }
}

extension RequestOptions {
    /// Opens by `open`, and calls the request off at a signal; one that is only queued is on the disk at once, so a signal
    /// ends the command as usual.
    @DBusActor
    func outcome(
        of app: Application, _ queueing: QueueOptions? = nil,
        _ open: (OpenOptions) async throws(IPCError) -> OpenURLResponse
    ) async throws(IPCError) -> OpenURLResponse {
        let options = self.open(queueing)
        guard !options.isQueued, let id = options.id else { return try await open(options) }
        do throws(IPCError) {
            return try await CallingOff.bySignal(id, of: app) { () async throws(IPCError) in try await open(options) }
        } catch {
            guard error.code == .handlerUnavailable, queueing != nil else { throw error }
            throw IPCError(.handlerUnavailable, error.message + ", or leave the request behind with --queue")
        }
    }

    /// Tells of a request that was queued for somebody whom nobody knows: perhaps the id was mistyped.
    @DBusActor
    func tellAbsence(_ response: OpenURLResponse, _ url: String, of app: Application, _ output: OutputOptions) async {
        // The request is on the disk, whatever becomes of these questions.
        guard response.outcome == .queued, let to, (try? await app.bus.isReachable(to)) == false,
            let claims = try? await app.resolve(url).candidates, !claims.contains(where: { $0.application == to })
        else { return }
        try? output.warn(
            "HandlerUnavailable",
            "nobody knows \(to.quoted): it does not run, nothing can start it, and it does not claim the scheme; the request "
                + "waits for it. 'ipc-client requests cancel \(response.id)' calls it off", id: response.id)
    }
}
