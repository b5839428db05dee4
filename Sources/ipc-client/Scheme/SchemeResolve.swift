import ArgumentParser
import IPC
import IPCTools

struct SchemeResolve: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "resolve",
        abstract: "Show which application would get a URL, the rule that decides, and why other claims lost.",
        discussion: """
            The first line has the application, the rule that chose it, and the way of delivery. If no application \
            gets the URL, the application is "nobody". The rule is "default" (your choice), "oldest-persistent", \
            "oldest-installed", "oldest-live", "desktop-default" (no application claims the scheme, so the desktop's \
            default handler gets the URL), or "no-handler". The way is "running", "started" (the bus would start the \
            application), "queue-only" (only queued requests are accepted), or "none".

            The other lines list every claim to the scheme, the winner first, each with the reason why it won or lost \
            ("newer", "only-live", "another-default"). If your choice does not claim the scheme at present, standard \
            error says so.

            The command starts no application. The exit code is 0 even if no application handles the scheme; standard \
            error then says so. To test for a handler, and for its policy, use 'scheme can-open'.

            EXAMPLES
              ipc-client scheme resolve IPCServer.demo:hello
              ipc-client scheme resolve --json IPCServer.demo: | jq -r '.candidates[].application'
            """)

    @Argument(help: "The URL. Only its scheme matters.", completion: LiveNames.urls)
    var url: String

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let resolution = try await broker.connect().resolve(url)
        try output.print(json(resolution), text: text(resolution))
        let scheme = String(url.prefix { $0 != ":" })
        if !output.json, let absent = resolution.absentDefault {
            try await output.warnOfAbsent(absent, for: scheme)
        }
        guard resolution.application == nil else { return }
        try output.tell(
            "NoHandler",
            "no application gets this URL: none has registered \(scheme.quoted), and the desktop has no handler for "
                + "it; start the handler, or register one with 'ipc-client scheme register \(scheme) --application ID "
                + "--persistent'" + (await StatedName.scheme(scheme).clause()))
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

    /// How the broker would deliver the URL now, as a word for the output.
    private func way(_ resolution: URLResolution) -> String {
        if resolution.isRunning { return "running" }
        if resolution.isActivatable { return "started" }
        return resolution.isQueueable ? "queue-only" : "none"
    }
}

/// `yes` or `no`; empty if the broker did not report the fact.
func yesOrNo(_ fact: Bool?) -> String { fact.map { $0 ? "yes" : "no" } ?? "" }

extension JSONValue {
    static func handler(_ handler: Handler) -> JSONValue {
        .object([
            "scheme": .string(handler.scheme.text),
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
