import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

/// A handler in its own process, started by the bus or by the test; its log shows what it received.
struct HandlerProgram: Sendable {
    let application: String
    let scheme: String
    let log: HandlerLog
    private let bus: PrivateBus
    private let script: String

    /// - Parameter number: distinguishes it from the test's other handlers.
    init(_ number: Int = 0, on bus: PrivateBus? = nil) async throws {
        self.bus = try bus ?? PrivateBus.current
        application = "org.example.Handler\(number)"
        scheme = "handler\(number).example"
        script = self.bus.directory.appending("handler.py")
        try FileContents.write(HandlerScript.text, to: script)
        log = try await HandlerLog(self.bus.directory.appending("handler\(number).log"))
    }

    /// Makes the handler startable by the bus, and claims its scheme persistently.
    /// - Parameters:
    ///     - window: the maximum number of requests in flight to the handler.
    ///     - late: the time, in seconds, for which the handler owns its name before it reads its calls.
    @DBusActor
    func install(_ client: BrokerClient, window: UInt32 = 1, late: Double = 0) async throws {
        let settings = #"{"late":\#(late),"scheme":"\#(scheme)","window":\#(window)}"#
        try await bus.addService(
            name: application, exec: "/usr/bin/python3 -u -B \(script) \(application) \(log.path) '\(settings)'")
        var options = RegisterOptions()
        options.persistent = true
        if window != 1 { options.window = window }
        _ = try await client.call(Schemes1.register, (application, [scheme], options))
    }

    /// Starts the handler as a child of the test; returns when the handler owns its name and has registered.
    func start(window: Int = 1) async throws -> RunningProcess {
        let before = log.record.registrations
        let process = try await RunningProcess.start(
            "/usr/bin/python3",
            [
                "-u", "-B", script, application, log.path,
                #"{"registers":true,"scheme":"\#(scheme)","window":\#(window)}"#,
            ], environment: bus.environment, input: .none)
        try await log.wait("registration of \(application)") { $0.registrations > before }
        return process
    }

    /// A URL for this handler, with an action to perform on delivery.
    func url(_ path: String = "x", _ verb: String = "") -> String {
        "\(scheme):\(path)" + (verb.isEmpty ? "" : "?\(verb)")
    }
}

/// The log of a handler, as it grows.
final class HandlerLog: Sendable {
    enum Entry: Sendable, Hashable {
        case start(pid: Int32)
        case name(code: Int)
        /// The broker's answer to the registration: an error name, or empty.
        case registered(String)
        case got(id: String, attempt: Int, source: String, url: String, payload: String)
        case answer(id: String, attempt: Int, outcome: String)
        case cancel(id: String)
        /// The result of opening a URL while handling a request.
        case opened(id: String, word: String)
        case gone
    }

    /// The entries read from the log so far, and their totals. The totals are stored because conditions on them are
    /// checked after every line.
    struct Record: Sendable {
        private(set) var entries: [Entry] = []
        private(set) var registrations = 0
        private(set) var requests = 0
        private(set) var answers = 0
        /// The process that was started last, and the number of requests that it has answered.
        private(set) var process: Int32?
        private(set) var answersOfProcess = 0

        mutating func add(_ entry: Entry) {
            entries.append(entry)
            switch entry {
            case .start(let pid): (process, answersOfProcess) = (pid, 0)
            case .registered: registrations += 1
            case .got: requests += 1
            case .answer:
                answers += 1
                answersOfProcess += 1
            default: break
            }
        }
    }

    let path: String
    private let state = Observed(Record())

    /// Follows the file, which need not exist yet.
    init(_ path: String) async throws {
        self.path = path
        try FileContents.write("", to: path)
        let tail = try await RunningProcess.start("tail", ["-n", "+1", "-f", path], input: .none)
        Task { [state] in
            while let line = try? await tail.nextLine(deadline: .seconds(3_600)) {
                if let entry = Entry(line[...]) { state.update { $0.add(entry) } }
            }
        }
    }

    /// The log read so far.
    var record: Record { state.value }
    var entries: [Entry] { record.entries }

    /// The complete log, including lines not read yet.
    func read() throws -> [Entry] { try FileContents.text(path).split(separator: "\n").compactMap { Entry($0) } }

    /// Waits until the log meets `condition`.
    func wait(
        _ what: String, deadline: Duration = usualDeadline, until condition: @escaping @Sendable (Record) -> Bool
    ) async throws {
        try await withDeadline(what, limit: deadline, seen: "\(self.entries.suffix(20))") { [state] in
            try await state.wait { condition($0) ? () : nil }
        }
    }

    /// Waits until this many requests have arrived.
    func waitForRequests(_ count: Int, deadline: Duration = usualDeadline) async throws {
        try await wait("\(count) requests", deadline: deadline) { $0.requests >= count }
    }
}

extension HandlerLog.Entry {
    /// `nil` for an unknown line.
    fileprivate init?(_ line: Substring) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { $0 == "-" ? "" : String($0) }
        switch (words[0], words.count) {
        case ("start", 2): self = .start(pid: Int32(words[1]) ?? 0)
        case ("name", 2): self = .name(code: Int(words[1]) ?? 0)
        case ("registered", 2): self = .registered(words[1])
        case ("got", 6):
            self = .got(id: words[1], attempt: Int(words[2]) ?? 0, source: words[3], url: words[4], payload: words[5])
        case ("answer", 4): self = .answer(id: words[1], attempt: Int(words[2]) ?? 0, outcome: words[3])
        case ("cancel", 2): self = .cancel(id: words[1])
        case ("opened", 4): self = .opened(id: words[1], word: words[2])
        case ("gone", 1): self = .gone
        default: return nil
        }
    }
}

extension [HandlerLog.Entry] {
    /// The URLs received, in order.
    var urls: [String] { compactMap { if case .got(_, _, _, let url, _) = $0 { url } else { nil } } }

    /// The process IDs, in the order in which they were started.
    var starts: [Int32] { compactMap { if case .start(let pid) = $0 { pid } else { nil } } }

    /// The attempt numbers of a request, in order.
    func attempts(of id: String) -> [Int] {
        compactMap { if case .got(id, let attempt, _, _, _) = $0 { attempt } else { nil } }
    }

    /// Whether the handler was notified that a request was cancelled.
    func isCancelled(_ id: String) -> Bool { contains(.cancel(id: id)) }

    /// The deliveries, for ``DeliveryChecker``.
    var deliveries: [DeliveryHistory.Delivery] {
        var deliveries: [DeliveryHistory.Delivery] = []
        var places: [String: Int] = [:]
        var process = 0
        for entry in self {
            switch entry {
            case .start: process += 1
            case .got(let id, let attempt, let source, let url, let payload):
                places["\(id) \(attempt)"] = deliveries.count
                deliveries.append(
                    .init(
                        id: id, attempt: attempt, source: source, content: "\(url) \(payload)", process: process,
                        answer: nil))
            case .answer(let id, let attempt, let outcome):
                if let place = places["\(id) \(attempt)"] { deliveries[place].answer = outcome }
            default: break
            }
        }
        return deliveries
    }
}
