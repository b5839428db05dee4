import IPCTesting
import Testing

/// Limits on the content of one source and of all together: exact, even with concurrent callers.
@Suite(.privateBus, .serialized)
struct QuotaTests {
    private static let source = "org.example.Quota"
    private static let callers = (0..<8).map { "caller\($0)" }

    /// A limit, and a call that uses a given amount of it.
    struct Quota: Sendable, CustomTestStringConvertible {
        let name: String
        let limit: UInt64
        /// The amount that one call requests.
        let step: UInt64
        var testDescription: String { name }
    }

    private static let quotas = [
        Quota(name: "items-per-source", limit: 30, step: 1), Quota(name: "items", limit: 30, step: 1),
        Quota(name: "stored-bytes-per-source", limit: 30_000, step: 1_000),
        Quota(name: "stored-bytes", limit: 30_000, step: 1_000),
    ]

    private func start(_ quota: Quota) async throws -> (broker: BrokerProcess, boards: [WireBoard]) {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "\(quota.name)=\(quota.limit)", "--limit", "history=0"]
        let broker = try await BrokerProcess.start(settings)
        let peer = try await WirePeer.start()
        var boards: [WireBoard] = []
        for caller in Self.callers { boards.append(try await .make(caller, on: peer, caller)) }
        return (broker, boards)
    }

    /// A call that adds one item with this many bytes.
    private func add(_ bytes: UInt64, to board: WireBoard, items: Int = 1) -> WireCall {
        let item = [("text/plain", WireValue.repeated("x", Int(bytes)))]
        return .addItems(
            .items(Array(repeating: item, count: items)), ["source-application": .s(Self.source)], at: board.path)
    }

    @Test(arguments: Self.quotas)
    func `a limit is exact: one below, the limit, one above`(quota: Quota) async throws {
        let (_, boards) = try await start(quota)
        let isBytes = quota.step > 1
        func use(_ amount: UInt64) async throws -> WireMessage {
            let call = isBytes ? add(amount, to: boards[0]) : add(1, to: boards[0], items: Int(amount))
            return try await boards[0].call(call)
        }
        for amount in [quota.limit - 1, quota.limit] {
            let accepted = try await use(amount)
            #expect(accepted.error == nil, "\(amount): \(accepted)")
            try await boards[0].clear()
        }
        let refused = try await use(quota.limit + 1)
        #expect(refused.error == BoardErrors.limitExceeded, "\(refused)")
        for word in [quota.name, "\(quota.limit)", "\(quota.limit + 1)"] {
            #expect(refused.text.replacing(",", with: "").contains(word), "\(word): \(refused.text)")
        }
        // The limit is also exact if it is reached in two steps.
        #expect(try await use(quota.limit - 1).error == nil)
        #expect(try await use(2).error == BoardErrors.limitExceeded)
        #expect(try await use(1).error == nil)
        #expect(try await use(1).error == BoardErrors.limitExceeded)
        try await boards[0].clear()
        #expect(try await use(quota.limit).error == nil)
    }

    @Test(arguments: Self.quotas)
    func `eight concurrent callers together get exactly the limit`(quota: Quota) async throws {
        let (broker, boards) = try await start(quota)
        let most = Int(quota.limit / quota.step)
        for round in 0..<TestSize.pick(small: 3, full: 30) {
            var serials: [(WireBoard, Int)] = []
            for _ in 0..<10 {
                for board in boards {
                    serials.append(
                        (board, try await board.peer.send(add(quota.step, to: board), on: board.connection)))
                }
            }
            var accepted = 0
            for (board, serial) in serials {
                let answer = try await board.peer.reply(serial, on: board.connection)
                #expect(answer.error == nil || answer.error == BoardErrors.limitExceeded, "\(answer)")
                accepted += answer.error == nil ? 1 : 0
            }
            #expect(accepted == most, "round \(round)")
            var held = 0
            for board in boards { held += try await board.get().texts.count }
            #expect(held == most)
            // A restarted broker counts the content in the store again, and still enforces the limit.
            if round == 0 {
                try await broker.restart()
                #expect(try await boards[0].call(add(quota.step, to: boards[0])).error == BoardErrors.limitExceeded)
            }
            for board in boards { try await board.clear() }
        }
    }

    @Test func `writes of another source are not charged to this one`() async throws {
        let (_, boards) = try await start(Quota(name: "items-per-source", limit: 3, step: 1))
        for _ in 0..<3 { #expect(try await boards[0].call(add(1, to: boards[0])).error == nil) }
        #expect(try await boards[1].call(add(1, to: boards[1])).error == BoardErrors.limitExceeded)
        try await boards[1].set("another's")
        // When another source replaces content of the first one, the first one has its space back.
        try await boards[0].set("another's")
        #expect(try await boards[1].call(add(1, to: boards[2])).error == nil)
    }

    @Test(arguments: ["pasteboards", "pasteboards-per-source"])
    func `the limit of pasteboards is exact, also for eight concurrent callers`(name: String) async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "\(name)=20"]
        _ = try await BrokerProcess.start(settings)
        let peer = try await WirePeer.start()
        for caller in Self.callers { try await peer.open(caller) }
        for round in 0..<TestSize.pick(small: 3, full: 30) {
            var serials: [(String, String, Int)] = []
            for number in 0..<8 {
                for caller in Self.callers {
                    let board = "\(caller)x\(number)"
                    serials.append((caller, board, try await peer.send(.getPasteboard(board), on: caller)))
                }
            }
            var made: [String] = []
            for (caller, board, serial) in serials {
                let answer = try await peer.reply(serial, on: caller)
                #expect(answer.error == nil || answer.error == BoardErrors.limitExceeded, "\(answer)")
                if answer.error == nil { made.append(board) }
            }
            // Nineteen, not twenty: the pasteboard “general” also counts, because it too was created without a stated
            // source.
            #expect(made.count == 19, "round \(round)")
            let refused = try await peer.call(.getPasteboard("more"), on: Self.callers[0])
            #expect(refused.error == BoardErrors.limitExceeded && refused.text.contains(name), "\(refused)")
            for board in made {
                #expect(try await peer.call(.removePasteboard(board), on: Self.callers[0]).error == nil)
            }
        }
    }

    @Test func `watches are limited per caller and in total`() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "watchers-per-caller=5", "--limit", "watchers=8"]
        _ = try await BrokerProcess.start(settings)
        let peer = try await WirePeer.start()
        let first = try await WireBoard.make("watched", on: peer, "first")
        let since = UInt64(try await first.set("before"))
        let second = try await first.from("second")
        // The broker asks the bus about a caller at its first call. Calls that wait for this answer are in no fixed
        // order.
        _ = try await second.get()
        var serials: [Int] = []
        for _ in 0..<5 { serials.append(try await peer.send(.waitForChange([], since: since), on: "first")) }
        let own = try await first.call(.waitForChange([], since: since))
        #expect(own.error == BoardErrors.limitExceeded && own.text.contains("watchers-per-caller"), "\(own)")
        for _ in 0..<3 { serials.append(try await peer.send(.waitForChange([], since: since), on: "second")) }
        let all = try await second.call(.waitForChange([], since: since))
        #expect(all.error == BoardErrors.limitExceeded && all.text.contains("watchers"), "\(all)")
        try await first.set("after")
        for (place, serial) in serials.enumerated() {
            let answer = try await peer.reply(serial, on: place < 5 ? "first" : "second")
            #expect(answer.error == nil, "\(answer)")
        }
    }
}
