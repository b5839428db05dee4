import IPC
import IPCModel
import IPCTools

extension OpenURLResponse {
    /// Prints the reply, or everything as JSON, and throws what is not success.
    func report(url: String, _ request: RequestOptions, _ output: OutputOptions) throws(ToolFailure) {
        if output.json {
            try OutputStream.output.writeLine(json(url).text)
        } else if let reply = reply.first?.preferred {
            try OutputStream.output.writeContent(reply.value.content)
        }
        guard outcome.exit != .success else { return }
        // In JSON the outcome has been told.
        let message = output.json ? "" : sentence(request)
        throw ToolFailure(name: outcome.rawValue, message: message, exit: outcome.exit)
    }

    private func json(_ url: String) -> JSONValue {
        .object([
            "id": .string(id),
            "url": .string(url),
            "outcome": .string(outcome.rawValue),
            "application": .string(application),
            "change-count": changeCount.map { .count($0) },
            "attempts": .unsigned(attempts),
            "reply": .items(reply),
            "error-name": errorName.map { .string($0) },
            "error-code": errorCode.map { .string($0) },
            "error-message": errorMessage.map { .string($0) },
        ])
    }

    /// What happened, and what to do next.
    private func sentence(_ request: RequestOptions) -> String {
        let time = request.timeout.defaultValueDescription
        return switch outcome {
        case .handled, .delivered, .queued: ""
        case .declined: "\(application) declined the URL\(because); another application may take it: --to ID"
        case .cancelled: "the request was called off\(because); send it again if you still want it"
        case .failed: "\(application) failed\(because)"
        case .unavailable: "\(application) could not be started\(because); start it yourself and send again"
        case .timedOut:
            "\(application) got the request and has not answered within \(time); it may have done it. Wait longer with "
                + "--timeout"
        case .expired:
            "\(application) was busy with other requests for \(time), so it never got this one; try again, or wait "
                + "longer with --timeout"
        }
    }

    /// The reason in parentheses or after a colon, where there is one.
    private var because: String {
        let reasons = [errorMessage, errorCode ?? errorName].compactMap { $0 }.filter { !$0.isEmpty }
        return switch reasons.count {
        case 0: ""
        case 1: ": \(reasons[0])"
        default: ": \(reasons[0]) (\(reasons[1]))"
        }
    }
}
