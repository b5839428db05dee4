import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

struct RequestList: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "list", abstract: "List requests in the order of acceptance.",
        discussion: """
            Columns: id, state or outcome, application, attempts, age, URL. A request that has not ended is "waiting" \
            (the application does not have it) or "delivered" (the application has it, and has not answered). \
            "delivered" is also the outcome of a request to a desktop application, which never answers. A terminal \
            shows the newest 20 requests, the newest last, unless --limit asks for more, and cuts URLs to its width. \
            In a pipe, all requests are listed, with whole URLs and the time of acceptance (UTC) in place of the age; \
            tabs separate the columns, and there are no headings. Content is never shown.

            EXAMPLES
              ipc-client request list
              ipc-client request list --state queued
              ipc-client request list --limit 20 --json | jq -r '.id + " " + .outcome'
            """)

    @Option(
        help: ArgumentHelp(
            """
            Only requests in this state (waiting, delivered, ended) or with this outcome. With queued, all requests \
            that have not ended.
            """, valueName: "state"), completion: .list(RequestFilter.allValueStrings))
    var state: RequestFilter?

    @Option(
        help: ArgumentHelp("Only requests to this application.", valueName: "id"), completion: LiveNames.applications)
    var application: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("At most this many requests, the newest ones.", valueName: "n"),
        transform: Quantity.parse)
    var limit: UInt32?

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let lists = try lists(of: try await broker.connect())
        // Without a limit, each row is written before the next page arrives, so even a long list takes little memory.
        if output.json, limit == nil, lists.count == 1 {
            for try await row in lists[0] { try output.write(.request(row)) }
            return
        }
        let rows = try await newest(lists)
        // On a terminal, only the newest 20 requests are shown by default.
        let isCut = !output.json && limit == nil && OutputStream.output.isTerminal
        let shown = isCut ? rows.suffix(20) : rows[...]
        try output.printRows(shown.map { .request($0) }) { isAligned in
            RequestRows(requests: Array(shown)).text(
                aligned: isAligned, style: output.style, columns: OutputStream.output.columns)
        }
        guard shown.count < rows.count else { return }
        try output.tell(
            "MoreRequests",
            "these are the newest \(shown.count) of \(rows.count) requests; --limit \(rows.count) shows all")
    }

    /// The lists of requests, which the caller merges by time.
    private func lists(of app: Application) throws(IPCError) -> [Listing<RequestInfo>] {
        let application = try application.map(ApplicationID.init(_:))
        return switch state {
        case nil: [app.requests(application: application)]
        // `delivered` is both a state and an outcome, and the column STATE shows either.
        case .state(.delivered):
            [
                app.requests(outcome: .delivered, application: application),
                app.requests(state: .delivered, application: application),
            ]
        case .state(let state): [app.requests(state: state, application: application)]
        case .outcome(let outcome): [app.requests(outcome: outcome, application: application)]
        }
    }

    @DBusActor
    private func newest(_ lists: [Listing<RequestInfo>]) async throws(IPCError) -> [RequestInfo] {
        let limit = limit.map(Int.init)
        var kept: [RequestInfo] = []
        for rows in lists {
            var own: [RequestInfo] = []
            for try await row in rows {
                own.append(row)
                if let limit, own.count >= 2 * limit { own.removeFirst(own.count - limit) }
            }
            kept += own
        }
        if lists.count > 1 { kept.sort { $0.acceptedAt < $1.acceptedAt } }
        return limit.map { kept.suffix($0) } ?? kept
    }
}

/// The value of `--state`: a state, or an outcome.
enum RequestFilter: Sendable, Hashable, ExpressibleByArgument {
    case state(RequestState)
    case outcome(Outcome)

    /// Parses a state or an outcome. The word `delivered` becomes the state, but selects the outcome too.
    init?(argument: String) {
        let state = RequestState(rawValue: argument).map(Self.state)
        guard let filter = state ?? Outcome(rawValue: argument).map(Self.outcome) else { return nil }
        self = filter
    }

    static var allValueStrings: [String] {
        let states = RequestState.allCases.map(\.rawValue)
        return states + Outcome.allCases.map(\.rawValue).filter { !states.contains($0) }
    }
}

struct RequestRows: Sendable {
    let requests: [RequestInfo]
    var now = Timestamp.now

    /// - Parameter columns: the width of the terminal, to which URLs are shortened; nil for no limit.
    func text(aligned: Bool, style: Style, columns: Int? = nil) -> String {
        var table = Table("ID", "STATE", "APPLICATION", "ATTEMPTS", "AGE", "URL")
        for request in requests {
            table.add(
                request.id.text, request.state == .ended ? request.outcome.rawValue : request.state.rawValue,
                request.application, String(request.attempts),
                aligned ? TimeLength.text(now - request.acceptedAt) : "\(request.acceptedAt)",
                request.url.onOneLine)
        }
        return table.text(aligned: aligned, style: style, columns: columns)
    }
}

extension JSONValue {
    static func request(_ request: RequestInfo, reply: Bool = false) -> JSONValue {
        .object([
            "id": .string(request.id.text),
            "url": .string(request.url),
            "state": .string(request.state.rawValue),
            "outcome": .string(request.outcome.rawValue),
            "late-outcome": request.lateOutcome.map { .string($0.rawValue) },
            "application": .string(request.application),
            "source-application": .nonEmpty(request.source.application),
            "source-strength": .string(request.source.strength.rawValue),
            "queue": .boolean(request.isQueued),
            "pasteboard": request.pasteboard.map { .string($0.text) },
            "change-count": request.changeCount.map { .count($0) },
            "item-count": .unsigned(UInt32(clamping: request.itemCount)),
            "size": .count(request.byteCount),
            "attempts": .unsigned(request.attempts),
            "parent": request.parent.map { .string($0.text) },
            "retried-as": request.retriedAs.map { .string($0.text) },
            "accepted": .time(request.acceptedAt),
            "expires": request.expiresAt.map(JSONValue.time),
            "ended": request.endedAt.map(JSONValue.time),
            "reply": reply ? .items(request.reply) : nil,
            "error-name": request.errorName.map { .string($0) },
            "error-code": request.errorCode.map { .string($0) },
            "error-message": request.errorMessage.map { .string($0) },
        ])
    }
}
