import IPCModel
import IPCStore
import Testing

/// Random operations on requests, along with those on pasteboards.
extension ModelRun {
    mutating func stepRequest(_ name: PasteboardName) async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<20: try await acceptItems()
        case 20..<45: try await acceptVersion(of: name)
        case 45..<60: try await deliver()
        case 60..<80: try await endRequest()
        case 80..<88: try await retry()
        case 88..<95: try await drop()
        default: try await compareRequests()
        }
    }

    private mutating func request() -> RequestRecord {
        place.request(.random(using: &random), arguments: random.bytes(8...8))
    }

    private mutating func acceptItems() async throws {
        let items = random.chance(0.2) ? nil : try items()
        let record = request()
        try await store.accept(record, items.map { .items($0) } ?? .none)
        model.requests.append(.init(record: record, items: items))
        // Repeating the call changes nothing, even with another payload.
        let again = try await store.commit { try $0.requests.begin(record, payload: .items([.string("never")])) }
        #expect(again?.payload?.items == items.map { UInt32($0.count) })
    }

    private mutating func acceptVersion(of name: PasteboardName) async throws {
        guard let version = model.boards[name]?.versions.randomElement(using: &random) else { return }
        let record = request()
        do {
            try await store.accept(record, .version(of: name, changeCount: version.count))
            #expect(!version.isOnce)
            model.requests.append(.init(record: record, items: version.items))
        } catch RequestError.notToBeKept {
            #expect(version.isOnce)
        }
    }

    private mutating func index(where isWanted: (ModelStore.Request) -> Bool) -> Int? {
        model.requests.indices.filter { isWanted(model.requests[$0]) }.randomElement(using: &random)
    }

    private mutating func deliver() async throws {
        guard let index = index(where: { $0.outcome == nil }) else { return }
        model.requests[index].attempts += 1
        let expected = model.requests[index]
        let attempt = try await store.commit { try $0.requests.beginAttempt(expected.record.id) }
        #expect(attempt.items == expected.items && attempt.record.attempts == expected.attempts)
    }

    private mutating func endRequest() async throws {
        guard let index = index(where: { _ in true }) else { return }
        let id = model.requests[index].record.id
        let outcome = Outcome.allCases.filter(\.isEnd).randomElement(using: &random) ?? .failed
        let ended = try await store.end(id, outcome)
        guard model.requests[index].outcome == nil else {
            #expect(ended.outcome == model.requests[index].outcome)
            return
        }
        model.requests[index].outcome = outcome
        if outcome == .handled || outcome == .delivered { model.requests[index].items = nil }
    }

    private mutating func retry() async throws {
        guard let index = index(where: { $0.outcome != nil }) else { return }
        let (old, record) = (model.requests[index], request())
        do {
            #expect(try await store.commit { try $0.requests.retry(old.record.id, record) } == nil)
            model.requests.append(.init(record: record, items: old.items))
        } catch RequestError.wasTaken {
            #expect(old.outcome == .handled || old.outcome == .delivered)
        }
    }

    private mutating func drop() async throws {
        guard let index = index(where: { _ in true }) else { return }
        let request = model.requests[index]
        do {
            try await store.commit { try $0.requests.drop(request.record.id) }
            #expect(request.outcome != nil)
            model.requests.remove(at: index)
        } catch RequestError.notEnded {
            #expect(request.outcome == nil)
        }
    }

    func compareRequests() async throws {
        let found = try await store.requests(after: nil, limit: 10_000) { _ in true }
        #expect(found.map(\.id) == model.requests.map(\.record.id))
        #expect(found.map(\.outcome) == model.requests.map(\.outcome))
        #expect(found.map(\.attempts) == model.requests.map(\.attempts))
        #expect(found.map { $0.payload?.items } == model.requests.map { $0.items.map { UInt32($0.count) } })
        let unended = try await store.commit { try $0.requests.unended(from: .start, limit: 10_000).requests }
        #expect(unended.map(\.id) == model.requests.filter { $0.outcome == nil }.map(\.record.id))
    }
}
