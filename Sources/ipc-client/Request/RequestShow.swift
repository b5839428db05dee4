import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct RequestShow: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "show", abstract: "Show everything about requests, except their content.",
        discussion: """
            Shows only the size of the content that was sent with the URL. With --reply, prints only the handler's \
            reply, byte for byte. With --reply and --json, the reply is an additional key.

            EXAMPLES
              ipc-client request show 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client request show --json $id | jq -r '."late-outcome"'
              ipc-client request show --reply $id > reply
            """)

    @OptionGroup var requests: RequestIDs

    @Flag(help: "Print the reply.")
    var reply = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !reply || output.json || requests.ids.count == 1 else {
            throw ValidationError("--reply prints the reply of one request; name one, or add --json.")
        }
    }

    func run() async throws {
        let app = try await broker.connect()
        var isFirst = true
        try await requests.forEach(output) { (id) throws in
            let request = try await app.request(id).info()
            if reply && !output.json {
                guard request.state == .ended else {
                    throw ToolFailure(
                        name: "NotEnded",
                        message:
                            "\(id) has not ended, so there is no reply yet; 'ipc-client request wait \(id)' waits for "
                            + "it", exit: .tryAgain)
                }
                return try request.reply.writeFirst()
            }
            let start = request.state == .waiting ? try await app.request(id).trace().last : nil
            let summary = RequestSummary(request, failedStart: start).text(
                isLocal: OutputStream.output.isTerminal, style: output.style)
            try output.print(.request(request, reply: reply), text: (isFirst ? "" : "\n") + summary)
            isFirst = false
        }
    }
}

/// What `request show` prints about a request.
struct RequestSummary: Sendable {
    let request: RequestInfo
    /// Why the handler could not be started; nil if no start has failed.
    let failedStart: String?
    let now: Timestamp

    /// - Parameter step: the last step of a waiting request.
    init(_ request: RequestInfo, failedStart step: TraceStep? = nil, now: Timestamp = .now) {
        (self.request, self.now) = (request, now)
        failedStart = step?.kind == .startFailed ? step?.detail : nil
    }

    /// - Parameter isLocal: whether times are in local time, for people; otherwise they are in UTC.
    func text(isLocal: Bool, style: Style) -> String {
        var lines = [
            ("request", style.bold(request.id.text)), ("url", request.url.onOneLine), ("state", state),
            ("application", request.application), ("source", request.source.described), ("sent", sent),
            ("attempts", String(request.attempts)),
            ("accepted", request.acceptedAt.told(isLocal: isLocal, now: now)),
        ]
        if let end = request.expiresAt, request.state == .waiting {
            lines.append(("expires", end.told(isLocal: isLocal, now: now)))
        }
        if let end = request.endedAt { lines.append(("ended", end.told(isLocal: isLocal, now: now))) }
        if let parent = request.parent { lines.append(("parent", parent.text)) }
        if let retry = request.retriedAs { lines.append(("retried as", retry.text)) }
        let replyBytes = UInt64(request.reply.reduce(0) { $0 + $1.byteCount })
        if let reply = Counted.content(request.reply.count, replyBytes) { lines.append(("reply", reply)) }
        if let failedStart { lines.append(("start failed", failedStart.asTold)) }
        if let code = request.errorCode ?? request.errorName { lines.append(("error", code.asTold)) }
        if let message = request.errorMessage { lines.append(("message", message.asTold)) }
        return Table.named(lines)
    }

    private var state: String {
        guard request.state == .ended else { return request.state.rawValue }
        return request.outcome.rawValue + (request.lateOutcome.map { ", later \($0.rawValue)" } ?? "")
    }

    private var sent: String {
        let way = request.isQueued ? "queued" : "its sender is waiting"
        let none = isReleased ? "content (released after it was handled)" : "no payload"
        let items = Counted.content(request.itemCount, request.byteCount) ?? none
        guard let board = request.pasteboard else { return "\(way); \(items)" }
        return "\(way); \(items) on \(board.text.onOneLine)"
            + (request.changeCount.map { " (change count \($0))" } ?? "")
    }

    /// Whether the broker has released the request's content. If the request names a pasteboard, it had content.
    private var isReleased: Bool {
        request.state == .ended && [.handled, .delivered].contains(request.outcome) && request.pasteboard != nil
    }
}
