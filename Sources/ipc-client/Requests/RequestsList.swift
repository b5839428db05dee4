import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

struct RequestsList: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        _superCommandName: Client.tool,
        abstract: "List requests in the order of their acceptance.",
        discussion: """
            Columns: id, state or outcome, application, attempts, age, URL. The states of a request that has not ended \
            are "waiting" (the application does not have it) and "delivered" (it has it, and has not answered; also the \
            outcome of what went to a program of the desktop, which never answers). On a terminal the newest 20 are \
            shown, the newest last, unless --limit says more, and URLs are cut to its width. In a pipe all are listed, \
            separated by tabs, without headings, the time of acceptance (UTC) stands in place of the age, and the URL \
            is whole. What was sent with a URL is never shown.

            EXAMPLES
              ipc-client requests
              ipc-client requests list --state queued
              ipc-client requests --limit 20 --json | jq -r '.id + " " + .outcome'
            """)

    @Option(
        help: ArgumentHelp(
            "Only those in a state (waiting, delivered, ended) or with an outcome; queued: all that have not ended.",
            valueName: "state"), completion: .list(RequestFilter.allValueStrings))
    var state: RequestFilter?

    @Option(help: ArgumentHelp("Only those to this application.", valueName: "id"), completion: LiveNames.applications)
    var application: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("At most so many, the newest.", valueName: "n"),
        transform: Quantity.parse)
    var limit: UInt32?

    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let lists = lists(of: try await Client.connect())
        guard output.json else { return try tell(try await newest(lists)) }
        // Without a limit a row is out before the next page comes, so no length fills the memory.
        guard limit == nil, lists.count == 1 else {
            for row in try await newest(lists) { try OutputStream.output.writeLine(JSONValue.request(row).text) }
            return
        }
        for rows in lists {
            for try await row in rows { try OutputStream.output.writeLine(JSONValue.request(row).text) }
        }
    }

    /// What is listed; several lists are to be brought into one order.
    private func lists(of app: Application) -> [Listing<RequestInfo>] {
        switch state {
        case nil: [app.requests(application: application)]
        // The word is a state and an outcome, and both are meant by who has seen it in the list.
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
        if lists.count > 1 { kept.sort { $0.acceptedMillisecondsSince1970 < $1.acceptedMillisecondsSince1970 } }
        return limit.map { kept.suffix($0) } ?? kept
    }

    private func tell(_ requests: [RequestInfo]) throws(ToolFailure) {
        let isTerminal = OutputStream.output.isTerminal
        let shown = isTerminal && limit == nil ? requests.suffix(Self.mostUnasked) : requests[...]
        let table = RequestTable(Array(shown))
        let text = table.text(aligned: isTerminal, style: output.style, columns: OutputStream.output.columns)
        if !text.isEmpty { try OutputStream.output.writeLine(text) }
        guard shown.count < requests.count else { return }
        try output.tell(
            "MoreRequests",
            "these are the newest \(shown.count) of \(requests.count) requests; --limit \(requests.count) shows all")
    }

    /// How many a terminal gets that has asked for no number.
    private static let mostUnasked = 20
}

/// What `--state` asks for: a state, or the outcome of what has ended.
enum RequestFilter: Sendable, Hashable, ExpressibleByArgument {
    case state(RequestState)
    case outcome(Outcome)

    /// The word `delivered` is the state, and stands for the outcome of that name too.
    init?(argument: String) {
        if let state = RequestState(rawValue: argument) {
            self = .state(state)
        } else if let outcome = Outcome(rawValue: argument) {
            self = .outcome(outcome)
        } else {
            return nil
        }
    }

    static var allValueStrings: [String] {
        let states = RequestState.allCases.map(\.rawValue)
        return states + Outcome.allCases.map(\.rawValue).filter { !states.contains($0) }
    }
}
