import Foundation
import IPCModel
import IPCStore
import Testing

/// Flips one random bit of a store's file: no changed content may come back as good data.
@Suite(.serialized) struct BitFlipTests {
    let place: TestPlace

    init() throws {
        let place = try TestPlace()
        self.place = place
        requests = (0..<10).map { _ in place.request() }
    }

    static let rounds = ProcessInfo.processInfo.environment["IPC_TEST_SIZE"] == "full" ? 2_000 : 100
    private static let names = (0..<20).map { PasteboardName.named("board \($0)") }

    private let requests: [RequestRecord]

    private static func text(_ index: Int) -> String {
        "content of \(index) " + String(repeating: "\(index)", count: index * 90)
    }

    /// Fills a store, stops it and returns its file.
    private func file() async throws -> [UInt8] {
        let store = try place.open()
        for (index, name) in Self.names.enumerated() {
            // Rows of every kind: versions that expire, versions with promises, several sources.
            var options = WriteOptions(source: Source(application: "demo.Source\(index % 4)", strength: .claimed))
            if index % 3 == 0 { options.timeToLive = 3_600_000 }
            if index % 5 == 0 { (options.promises, options.writer) = ([[.html]], ":1.\(index)@bus") }
            let asked = options
            try await store.commit { transaction in
                _ = try transaction.createPasteboard(name, persistent: true, source: asked.source)
                let count = try transaction.setItems([.string(Self.text(index))], on: name, asked)
                guard !asked.promises.isEmpty else { return }
                let promise = Promise(item: 0, type: .html)
                _ = try transaction.fulfil(promise, of: name, changeCount: count, with: .text("promised"))
            }
        }
        try await store.commit { transaction in
            for request in requests {
                _ = try transaction.requests.begin(
                    request, payload: .items([.string(Self.text(3))]), trace: [place.step(.queued)])
            }
            try transaction.registrations.setPolicy(
                AccessPolicy(refused: ["demo.Refused"]), of: ApplicationID("demo.One"))
        }
        try await store.close()
        return try place.bytes(place.database)
    }

    @Test func noFlippedBitComesBackAsGoodData_I5() async throws {
        let file = try await file()
        var random = RandomSource(seed: 5)
        var seen = Seen()
        for round in 0..<Self.rounds {
            var damaged = file
            damaged[Int.random(in: 0..<file.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let image = place.path + "/flip-\(round)"
            try FileManager.default.createDirectory(atPath: image, withIntermediateDirectories: false)
            try place.write(damaged, to: image + "/store.sqlite")
            try await look(place.configuration(image), &seen)
            try FileManager.default.removeItem(atPath: image)
        }
        #expect(seen.wrong == 0)
        // A flipped bit in unused data loses nothing. Most others lose one pasteboard; one in a page header may lose
        // the whole page.
        let lost = (0...1).reduce(0) { $0 + (seen.lost[$1] ?? 0) }
        #expect(seen.lost[0, default: 0] > 0 && seen.lost[1, default: 0] > 0)
        #expect(seen.requestsLost > 0 && seen.requests > seen.requestsLost * 20, "\(seen)")
        #expect(lost + seen.untouched >= Self.rounds * 98 / 100, "\(seen.lost)")
    }

    private struct Seen {
        /// Pasteboards whose content came back changed.
        var wrong = 0
        /// Stores that were rejected and left unchanged.
        var untouched = 0
        /// Requests that were recovered as accepted, and those that were lost.
        var requests = 0
        var requestsLost = 0
        /// How many stores lost no pasteboard, how many lost one, and so on.
        var lost: [Int: Int] = [:]
    }

    /// Opens a store, reads every pasteboard, and opens it again if reading found a damaged structure.
    private func look(_ configuration: StoreConfiguration, _ seen: inout Seen) async throws {
        do {
            var (good, mustCheck) = try await read(Store.open(configuration), &seen)
            if mustCheck { (good, mustCheck) = try await read(Store.open(recovered(configuration)), &seen) }
            #expect(!mustCheck)
            seen.lost[Self.names.count - good, default: 0] += 1
        } catch is StoreError {
            // Because of the flipped bit, the file looks as if a newer broker or another program had written it.
            seen.untouched += 1
        }
    }

    /// Copies the files for the next start. A damaged store keeps its connection open until the process exits, so the
    /// files themselves cannot be opened again.
    private func recovered(_ configuration: StoreConfiguration) throws -> StoreConfiguration {
        try place.crashImage(of: configuration.directory, UUID().uuidString)
    }

    private func read(_ store: Store, _ seen: inout Seen) async throws -> (good: Int, mustCheck: Bool) {
        var good = 0
        for (index, name) in Self.names.enumerated() {
            do {
                let item = try await store.commit { try $0.items(of: name).items.first }
                let isRight = item?.string == Self.text(index) && (item?[.html] == nil) == (index % 5 != 0)
                if isRight { good += 1 } else { seen.wrong += 1 }
            } catch is PasteboardError {
                continue
            } catch {
                try? await store.close()
                return (good, true)
            }
        }
        guard try await readRequests(of: store, &seen) else {
            try? await store.close()
            return (good, true)
        }
        do {
            try await store.close()
            return (good, false)
        } catch {
            return (good, true)
        }
    }

    /// Recovers every request; false if reading found a damaged structure.
    private func readRequests(of store: Store, _ seen: inout Seen) async throws -> Bool {
        for request in requests {
            do {
                let attempt = try await store.commit { try $0.requests.beginAttempt(request.id) }
                let isRight = attempt.items == [.string(Self.text(3))] && attempt.record.url == request.url
                if isRight { seen.requests += 1 } else { seen.wrong += 1 }
            } catch is any Condition {
                seen.requestsLost += 1
            } catch {
                return false
            }
        }
        do {
            let policies = try await store.commit { try $0.registrations.policies() }.policies
            if policies.contains(where: { $0.value.allows(Source(application: "demo.Refused", strength: .owned)) }) {
                seen.wrong += 1
            }
        } catch {
            return false
        }
        return true
    }
}
