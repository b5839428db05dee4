import IPCTools

/// Handlers that are there, and by whom nothing is done.
struct HandlerCheck: Check {
    static let name = "handlers"
    static let words = ["handler-fails"]

    func findings(in facts: Facts) -> [Finding] {
        facts.troubles.map { trouble in
            let what =
                trouble.count == 1
                ? "the newest request to \(trouble.application) came to nothing"
                : "the newest \(trouble.count) requests to \(trouble.application) came to nothing"
            let reason = trouble.message.isEmpty ? "" : " (\(trouble.message.asTold))"
            // Only who has written the handler can mend it; the steps say where it fails.
            return .note(
                Self.words[0], "\(what): \(trouble.end)\(reason)",
                mend: "\(facts.tool.command) trace \(ShellLine.word(trouble.request))")
        }
    }

    func assurance(in facts: Facts) -> String? {
        guard facts.broker.version != nil else { return nil }
        return "no handler has failed since it last handled a request"
    }
}
