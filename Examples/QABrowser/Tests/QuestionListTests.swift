import Testing

@testable import Questions

/// A server with some results for each query, which can hold its answers back.
private actor Server {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private(set) var requests: [String] = []
    private var held: Set<String> = []
    private var failure: String?

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func fail(_ reason: String?) { failure = reason }

    /// Holds back the answers to a query until ``release()``.
    func hold(_ query: String) { held.insert(query) }

    func release() {
        held = []
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func answer(_ query: String, _ start: Int, _ results: Int, of total: Int) async throws -> ResultSet {
        requests.append("\(query) \(start)+\(results)")
        if held.contains(query) { await withCheckedContinuation { waiting.append($0) } }
        try Task.checkCancellation()
        if let failure { throw Failure(description: failure) }
        let questions = (start..<max(start, min(total + 1, start + results))).map {
            Question(id: $0, text: "\(query) \($0)", condition: .open, numberOfAnswers: 0, date: "2012-03-04")
        }
        return ResultSet(total: total, first: start, questions: questions)
    }
}

@MainActor
struct QuestionListTests {
    private let server = Server()

    private func list(of total: Int) -> QuestionList {
        QuestionList { [server] in try await server.answer($0, $1, $2, of: total) }
    }

    private func results(_ first: Int, _ count: Int, of total: Int) -> ResultSet {
        let questions = (first..<first + count).map {
            Question(id: 1000 + $0, text: "q", condition: .open, numberOfAnswers: 0, date: "2012-03-04")
        }
        return ResultSet(total: total, first: first, questions: questions)
    }

    @Test func `results are added, found and cleared`() throws {
        let list = list(of: 0)
        #expect(list.count == 0 && list.total == nil && !list.isComplete && list.get(0) == nil)
        list.clear(for: "a")
        try list.add(results(1, 20, of: 30))
        try list.add(results(21, 10, of: 30))
        #expect(list.count == 30 && list.total == 30 && list.isComplete && list.query == "a")
        #expect(list.get(0)?.id == 1001 && list.get(29)?.id == 1030 && list.get(30) == nil && list.get(-1) == nil)
        #expect(list.place(of: 1021) == 20 && list.place(of: 1) == nil)
        list.clear(for: "b")
        #expect(list.count == 0 && list.total == nil && list.query == "b" && list.place(of: 1021) == nil)
    }

    @Test(arguments: [
        (2, 20, 99, "its results start at 2, not at 21"), (22, 10, 99, "its results start at 22, not at 21"),
        (21, 0, 99, "its results end at 20, but it states a total of 99"),
        (21, 20, 3, "its results end at 40, but it states a total of 3"),
        (21, 0, -5, "its results end at 20, but it states a total of -5"),
        (21, 21, 99, "it sent 21 results, not at most 20"),
    ])
    func `results that do not follow change nothing`(
        _ first: Int, _ count: Int, _ total: Int, _ reason: String
    ) throws {
        let list = list(of: 0)
        try list.add(results(1, 20, of: 99))
        #expect(throws: QuestionList.Mismatch(reason: reason)) {
            try list.add(results(first, count, of: total), requested: 20)
        }
        #expect(list.count == 20 && list.total == 99)
    }

    @Test func `no question is in the list twice`() throws {
        let list = list(of: 0)
        let (some, next) = (results(1, 20, of: 99), results(20, 20, of: 99))
        let double = ResultSet(total: 99, first: 1, questions: some.questions + some.questions.prefix(1))
        #expect(throws: QuestionList.Mismatch(reason: "it sent question 1001 twice")) { try list.add(double) }
        try list.add(some)
        // The server has a new question, so that the others have moved on.
        let moved = ResultSet(total: 99, first: 21, questions: next.questions)
        #expect(throws: QuestionList.Mismatch(reason: "it sent question 1020 twice")) { try list.add(moved) }
        #expect(list.count == 20 && list.place(of: 1020) == 19 && list.place(of: 1021) == nil)
    }

    @Test func `a server that sends more than was requested is reported`() async throws {
        let many = results(1, 100, of: 999)
        let list = QuestionList { _, _, _ in many }
        let mismatch = QuestionList.Mismatch(reason: "it sent 100 results, not at most 20")
        await #expect(throws: mismatch) { try await list.load("a", upTo: 20) }
        #expect(list.count == 0 && list.state == .failed("\(mismatch)"))
    }

    @Test func `the list grows in place, and asks only for what is missing`() async throws {
        let list = list(of: 45)
        for count in [20, 40, 40, 60, 80] { try await list.load("a", upTo: count) }
        #expect(await server.requests == ["a 1+20", "a 21+20", "a 41+20"])
        #expect(list.isComplete && list.count == 45 && list.state == .idle)
        try await list.load("b", upTo: 20)
        #expect(list.count == 20 && list.get(0)?.text == "b 1")
    }

    @Test func `a long list is restored in large steps`() async throws {
        let list = list(of: 2_400)
        try await list.load("a", upTo: 250)
        #expect(await server.requests == ["a 1+100", "a 101+100", "a 201+50"])
        #expect(list.count == 250)
    }

    @Test func `a search without results is complete`() async throws {
        let list = list(of: 0)
        try await list.load("a", upTo: 20)
        #expect(list.isComplete && list.total == 0 && list.state == .idle)
    }

    @Test func `a failure leaves the list as it was, and the next try continues`() async throws {
        let list = list(of: 99)
        try await list.load("a", upTo: 20)
        await server.fail("out of order")
        await #expect(throws: Server.Failure.self) { try await list.load("a", upTo: 40) }
        #expect(list.state == .failed("out of order") && list.count == 20 && list.total == 99)
        await server.fail(nil)
        try await list.load("a", upTo: 40)
        #expect(list.state == .idle && list.count == 40 && list.get(20)?.id == 21)
    }

    @Test func `a load can be cancelled`() async throws {
        let list = list(of: 99)
        try await list.load("a", upTo: 20)
        await server.hold("a")
        let load = Task { try await list.load("a", upTo: 40) }
        while await server.requests.count < 2 { await Task.yield() }
        #expect(list.state == .loading)
        load.cancel()
        await server.release()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(list.state == .failed("cancelled") && list.count == 20)
    }

    @Test(arguments: [false, true])
    func `a stale answer is never shown`(_ isCancelled: Bool) async throws {
        let list = list(of: 99)
        await server.hold("slow")
        let stale = Task { try await list.load("slow", upTo: 20) }
        while await server.requests.isEmpty { await Task.yield() }
        if isCancelled { stale.cancel() }
        try await list.load("a", upTo: 20)
        await server.release()
        await #expect(throws: CancellationError.self) { try await stale.value }
        #expect(list.query == "a" && list.count == 20 && list.state == .idle && list.get(0)?.text == "a 1")
    }
}
