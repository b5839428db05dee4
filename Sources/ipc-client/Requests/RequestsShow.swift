import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

struct RequestsShow: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        _superCommandName: Client.tool,
        abstract: "Tell all that is known of requests.",
        discussion: """
            What was sent with the URL is never shown, only its size. With --reply the reply of the receiver goes to \
            standard output, byte for byte, and nothing else does; with --json it is one key more.

            EXAMPLES
              ipc-client requests show 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client requests show --json $id | jq -r '."late-outcome"'
              ipc-client requests show --reply $id > reply
            """)

    @OptionGroup var requests: RequestIDs

    @Flag(help: "Print the reply.")
    var reply = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !reply || output.json || requests.ids.count == 1 else {
            throw ValidationError("--reply prints the reply of one request; name one, or add --json.")
        }
    }

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        var isFirst = true
        try await requests.forEach(output) { (id) throws in
            let request = try await app.request(id)
            if reply && !output.json {
                guard request.state == .ended else { throw Self.notEnded(id) }
                return try request.reply.writeFirst()
            }
            let start = request.state == .waiting ? try await app.traceRequest(id).last : nil
            let summary = RequestSummary(request, failedStart: start).text(style: output.style)
            try output.print(.request(request, reply: reply), text: (isFirst ? "" : "\n") + summary)
            isFirst = false
        }
    }

    private static func notEnded(_ id: String) -> ToolFailure {
        ToolFailure(
            name: "NotEnded",
            message: "\(id) has not ended, so there is no reply yet; 'ipc-client requests wait \(id)' waits for it",
            exit: .tryAgain)
    }
}

/// What `requests show` says of a request.
struct RequestSummary: Sendable {
    let request: RequestInfo
    /// What was said of the start that it waits for, where that has failed.
    let failedStart: String?
    /// Milliseconds since 1970 UTC.
    let now: UInt64

    /// - Parameter step: the last one of a request that waits.
    init(_ request: RequestInfo, failedStart step: TraceStep? = nil, now: UInt64 = Timestamp.now) {
        (self.request, self.now) = (request, now)
        failedStart = step?.kind == .startFailed ? step?.detail : nil
    }

    /// A line for each thing, its name in front.
    func text(style: Style) -> String {
        var lines = [
            ("request", style.bold(request.id)), ("url", request.url.onOneLine), ("state", state),
            ("application", request.application), ("source", source), ("sent", sent), ("attempts", attempts),
            ("accepted", Timestamp.told(request.acceptedMillisecondsSince1970, now: now)),
        ]
        if let end = request.expiresMillisecondsSince1970, request.state == .waiting {
            lines.append(("expires", Timestamp.told(end, now: now)))
        }
        if let end = request.endedMillisecondsSince1970 { lines.append(("ended", Timestamp.told(end, now: now))) }
        if let parent = request.parent { lines.append(("parent", parent)) }
        if let retry = request.retriedAs { lines.append(("retried as", retry)) }
        if !request.reply.isEmpty { lines.append(("reply", reply)) }
        if let failedStart { lines.append(("start failed", failedStart.asTold)) }
        if let code = request.errorCode ?? request.errorName { lines.append(("error", code.asTold)) }
        if let message = request.errorMessage { lines.append(("message", message.asTold)) }
        return Table.named(lines)
    }

    private var state: String {
        guard request.state == .ended else { return request.state.rawValue }
        return request.outcome.rawValue + (request.lateOutcome.map { ", later \($0.rawValue)" } ?? "")
    }

    private var source: String {
        guard !request.source.application.isEmpty else { return "unknown" }
        return "\(request.source.application) (\(request.source.strength.rawValue))"
    }

    private var sent: String {
        let way = request.isQueued ? "queued" : "its sender waits"
        var items = Self.amount(request.itemCount, request.byteCount)
        if request.itemCount == 0 && hasLetGo { items = "content (let go since it was handled)" }
        guard let board = request.pasteboard else { return "\(way); \(items)" }
        return "\(way); \(items) on \(board.onOneLine)" + (request.changeCount.map { " (change count \($0))" } ?? "")
    }

    /// Whether there was content that is not kept any more; a pasteboard goes with content only.
    private var hasLetGo: Bool {
        request.state == .ended && [.handled, .delivered].contains(request.outcome) && request.pasteboard != nil
    }

    private var attempts: String { String(request.attempts) }

    private var reply: String {
        Self.amount(request.reply.count, UInt64(request.reply.reduce(0) { $0 + $1.byteCount }))
    }

    private static func amount(_ items: Int, _ bytes: UInt64) -> String {
        guard items > 0 else { return "no payload" }
        return "\(items) item\(items == 1 ? "" : "s"), \(ByteSize.text(bytes))"
    }
}
