import ArgumentParser
import IPC
import IPCTools

struct Resolve: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "resolve",
        abstract: "Explain which application would get a URL, by which rule, and what was passed over.",
        discussion: """
            The first line is the application (or "nobody"), the rule that chose it ("default": your choice, \
            "oldest-persistent", "oldest-installed", "oldest-live", "desktop-default": nobody claims the scheme, and the \
            desktop's own handler gets it; or "no-handler"), and whether it is "running", would \
            be "started", gets only what is queued ("queue-only"), or "none" of these. Then every claim to the scheme, the \
            winner first, each with the reason why it won or was passed over: "newer", "only-live", "another-default". A choice of yours that \
            does not claim the scheme at present is told on standard error. \
            Nobody is started. Exit code 0 also if nobody handles the scheme, which a sentence on standard error says; \
            'can-open' is the test for that, and for the policy of the handler.

            EXAMPLES
              ipc-client resolve IPCServer.demo:hello
              ipc-client resolve --json IPCServer.demo: | jq -r '.candidates[].application'
            """)

    @Argument(help: "The URL; only its scheme matters.", completion: LiveNames.urls)
    var url: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let resolution = try await Client.connect().resolve(url)
        try output.print(json(resolution), text: text(resolution))
        let scheme = String(url.prefix { $0 != ":" })
        if !output.json, let absent = resolution.absentDefault {
            try output.warnOfAbsent(absent, for: scheme)
        }
        guard resolution.application == nil else { return }
        try output.tell(
            "NoHandler",
            "nobody gets it: no application has registered \(scheme.quoted), and the desktop has none for it; start the "
                + "receiver, or make one known by 'ipc-client register \(scheme) --application ID --persistent'")
    }

    private func json(_ resolution: URLResolution) -> JSONValue {
        .object([
            "url": .string(url),
            "application": resolution.application.map { .string($0) },
            "reason": .string(resolution.reason),
            "running": .boolean(resolution.isRunning),
            "activatable": .boolean(resolution.isActivatable),
            "queueable": .boolean(resolution.isQueueable),
            "absent-default": resolution.absentDefault.map { .string($0) },
            "candidates": .array(resolution.candidates.map(JSONValue.handler)),
        ])
    }

    private func text(_ resolution: URLResolution) -> String {
        let winner = resolution.application.map { output.style.bold($0) } ?? "nobody"
        var table = Table("CANDIDATE", "KIND", "RUNNING", "ACTIVATABLE", "REASON")
        for candidate in resolution.candidates {
            table.add(
                candidate.application, candidate.kind, yesOrNo(candidate.isRunning), yesOrNo(candidate.isActivatable),
                candidate.reason ?? "")
        }
        let candidates = table.text(aligned: OutputStream.output.isTerminal, style: output.style)
        return "\(winner)\t\(resolution.reason)\t\(way(resolution))" + (candidates.isEmpty ? "" : "\n" + candidates)
    }

    /// How the broker would deliver a URL now.
    private func way(_ resolution: URLResolution) -> String {
        if resolution.isRunning { return "running" }
        if resolution.isActivatable { return "started" }
        return resolution.isQueueable ? "queue-only" : "none"
    }
}

/// A fact that the broker may leave out.
func yesOrNo(_ fact: Bool?) -> String { fact.map { $0 ? "yes" : "no" } ?? "" }

extension JSONValue {
    static func handler(_ handler: Handler) -> JSONValue {
        .object([
            "scheme": handler.scheme.isEmpty ? nil : .string(handler.scheme),
            "application": .string(handler.application),
            "kind": .string(handler.kind),
            "handler": handler.statedHandler.map { .boolean($0) },
            "default": handler.statedDefault.map { .boolean($0) },
            "running": handler.isRunning.map { .boolean($0) },
            "activatable": handler.isActivatable.map { .boolean($0) },
            "reason": handler.reason.map { .string($0) },
        ])
    }
}
