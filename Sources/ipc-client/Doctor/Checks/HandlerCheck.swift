import IPCModel
import IPCTools

/// Handlers that are there, and by whom nothing is done.
struct HandlerCheck: Check {
    static let name = "handlers"
    static let words = ["handler-fails"]

    func findings(in facts: Facts) -> [Finding] {
        facts.troubles.map { trouble in
            let reason = trouble.message.isEmpty ? "" : " (\(trouble.message.asTold))"
            // Only who has written the handler can mend it; the steps say where it fails.
            return .note(
                Self.words[0], what(trouble) + reason,
                mend: "\(facts.tool.command) trace \(ShellLine.word(trouble.request))")
        }
    }

    private func what(_ trouble: TroubleFacts) -> String {
        guard let end = trouble.end else { return "a request waits for \(trouble.application), whose start fails" }
        let requests = trouble.count == 1 ? "request" : "\(trouble.count) requests"
        return "the newest \(requests) to \(trouble.application) came to nothing: \(end.rawValue)"
    }

    func assurance(in facts: Facts) -> String? {
        guard facts.broker.version != nil else { return nil }
        return "no handler has failed since it last handled a request"
    }
}
