import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

/// Counts the starts of a broker that is killed again and again, so that an interrupted call is repeated after the next
/// start.
final class BrokerLives: Sendable {
    private let lives = Observed(1)

    /// Records that the broker was started again.
    func began() { lives.update { $0 += 1 } }

    /// Makes a call, and repeats it if the broker exits in the meantime; errors from the broker itself are thrown.
    @DBusActor
    func persistently<Result: Sendable>(_ call: @DBusActor () async throws(CallError) -> Result) async throws -> Result
    {
        while true {
            let life = lives.value
            do throws(CallError) {
                return try await call()
            } catch {
                if case .remote(let name, _) = error, name.hasPrefix("org.swiftipc.") { throw error }
                try await withDeadline("start of the broker after “\(error)”") { [lives] in
                    try await lives.wait { $0 > life ? () : nil }
                }
            }
        }
    }
}

/// The progress of a run: the requests that were accepted so far, and those that have ended.
struct DeliveryProgress: Sendable {
    var requests: [DeliveryHistory.Request] = []
    var ends: [DeliveryHistory.End] = []
    /// The number of requests that are known to have ended.
    var ended = 0
    /// The number of planned kills of handlers so far.
    var handlerKills = 0

    /// The number of steps so far. Each request is two steps: it is accepted, and it ends.
    var steps: Int { requests.count + ended }
}

/// Queues requests one after another, so that they are accepted in the order of their numbers, and waits for them to
/// end.
@DBusActor
final class DeliverySender {
    let number: Int
    let source: String
    private let client: BrokerClient
    private let handlers: [HandlerProgram]
    private let lives: BrokerLives
    private let progress: Observed<DeliveryProgress>
    private var places: [String: Int] = [:]
    /// The number of requests that this sender has sent.
    private(set) var requests = 0

    /// - Parameter handlers: the possible handlers; one is chosen at random for each request.
    init(
        _ number: Int, to handlers: [HandlerProgram], on bus: PrivateBus, _ lives: BrokerLives,
        _ progress: Observed<DeliveryProgress>
    ) async throws {
        self.number = number
        source = "org.example.Sender\(number)"
        client = try await BrokerClient(bus)
        (self.handlers, self.lives, self.progress) = (handlers, lives, progress)
    }

    /// Sends this many requests, one in `killers` of which crashes its handler each time, and waits for the outcomes.
    /// - Parameter handlerKills: goes on with more requests, one at a time, until this many planned kills of handlers
    ///   took place. A kill waits for answers, so none can come too late on a busy machine.
    func run(_ count: Int, killers: Int, until handlerKills: Int, _ generator: SeededGenerator) async throws {
        let heard = try await hearEnds()
        defer { _ = heard }
        let (accepted, continuation) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.sendAll(count, killers, until: handlerKills, generator, continuation) }
            group.addTask { for await id in accepted { try await self.waitForEnd(of: id) } }
            // The first error of either task stops both.
            try await group.waitForAll()
        }
    }

    private func sendAll(
        _ count: Int, _ killers: Int, until handlerKills: Int, _ generator: SeededGenerator,
        _ accepted: AsyncStream<String>.Continuation
    ) async throws {
        var generator = generator
        defer { accepted.finish() }
        while requests < count || progress.value.handlerKills < handlerKills {
            let number = requests
            // One in `killers` of all requests crashes its handler. Which ones differs between senders, so that every
            // run has some.
            let kills = (self.number * count + number) % killers == killers / 2
            let handler = handlers[Int.random(in: 0..<handlers.count, using: &generator)]
            let id = RequestID.random(using: &generator).text
            let size = [0, 10, 1_000, 20_000][Int.random(in: 0..<4, using: &generator)]
            try await send(number, to: handler, id, kills: kills, size: size)
            requests += 1
            if number < count { accepted.yield(id) } else { try await waitForEnd(of: id) }
        }
    }

    /// Subscribes to the broker's signals about ended requests. If the broker is killed, signals may be lost.
    private func hearEnds() async throws -> Subscription {
        return try await client.connection.subscribe(
            to: URLs1.requestCompleted, from: Broker1.busName, at: Broker1.path
        ) { [progress] values, _ in
            let (id, outcome) = values
            progress.update { $0.ends.append(.init(id: id, outcome: outcome, code: nil)) }
        }
    }

    private func send(
        _ number: Int, to handler: HandlerProgram, _ id: String, kills: Bool, size: Int
    ) async throws {
        let text = "\(source) \(number) " + String(repeating: "\(number % 10)", count: size)
        let url = handler.url("\(source)/\(number)", kills ? "kill" : "")
        var options = OpenURLOptions()
        options.id = id
        options.queue = true
        options.sourceApplication = source
        options.items = [.string(text)]
        let place = places[handler.application, default: 0]
        places[handler.application] = place + 1
        var request = DeliveryHistory.Request(
            id: id, source: source, handler: handler.application, place: place,
            content: "\(url) \(PayloadSum.text(text))", kills: kills)
        do {
            let result = try await lives.persistently { [client] () throws(CallError) in
                try await client.call(URLs1.openURL, (url, options))
            }
            guard result.id == id else { throw HarnessError("\(id) was accepted as \(result.id ?? "nothing").") }
        } catch let error as CallError where error.word == "LimitExceeded" {
            request.acceptance = .refused
        }
        progress.update { [request] in $0.requests.append(request) }
    }

    private func waitForEnd(of id: String) async throws {
        var options = WaitRequestOptions()
        options.timeout = 20_000
        while true {
            let result: OpenURLResult
            do {
                result = try await lives.persistently { [client, options] () throws(CallError) in
                    try await client.call(URLs1.waitRequest, (id, options))
                }
            } catch let error as CallError where error.word == "NoSuchRequest" {
                // No outcome is recorded, so the checker will report this request as lost.
                return progress.update { $0.ended += 1 }
            }
            guard let word = result.outcome, word != Outcome.queued.rawValue else { continue }
            return progress.update {
                $0.ends.append(.init(id: id, outcome: word, code: result.errorCode ?? ""))
                $0.ended += 1
            }
        }
    }

    /// Asks again for the outcomes of all requests of this sender.
    func askAgain() async throws {
        let client = client
        for request in progress.value.requests where request.source == source {
            let facts: RequestFacts
            do throws(CallError) {
                facts = try await client.call(URLs1.getRequest, (request.id, GetRequestOptions()))
            } catch {
                guard error.word == "NoSuchRequest" else { throw error }
                continue
            }
            guard facts.state == "ended" else { continue }
            progress.update {
                $0.ends.append(.init(id: request.id, outcome: facts.outcome ?? "", code: facts.errorCode ?? ""))
            }
        }
    }
}

extension CallError {
    /// The last part of the broker's error name; `nil` for any other error.
    var word: String? {
        guard case .remote(let name, _) = self, name.hasPrefix("org.swiftipc.Error.") else { return nil }
        return name.split(separator: ".").last.map(String.init)
    }
}

/// The length of a text and its checksum, as ``HandlerScript`` writes them: CRC-32 of ISO 3309, as in zlib.
enum PayloadSum {
    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    static func text(_ text: String) -> String {
        let sum = ~text.utf8.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
        let digits = String(sum, radix: 16)
        return "\(text.utf8.count)-" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
