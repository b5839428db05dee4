import IPCModel
import Testing

@testable import IPCStore

@Suite(.serialized) struct ChangesTests {
    let place: TestPlace
    let a = PasteboardName.named("a")
    let b = PasteboardName.named("b")
    let c = PasteboardName.named("c")

    init() throws { place = try TestPlace() }

    private func changes(_ store: Store, _ names: [PasteboardName] = [], since: UInt64) async throws -> Changes {
        try await store.commit { try $0.changes(of: names, since: since) }
    }

    @Test func changedPasteboardsAreListedInOrder_I13() async throws {
        let store = try place.open()
        let first = try await store.put("1", on: a)
        let second = try await store.put("2", on: b, persistent: false)
        let third = try await store.put("3", on: a)
        let all = try await changes(store, since: first)
        #expect(all.latest == third && !all.mustResynchronize)
        #expect(all.changed == [.init(name: b, changeCount: second), .init(name: a, changeCount: third)])
        #expect(try await changes(store, [b], since: second).changed.isEmpty)
        #expect(try await changes(store, [b, c], since: first).changed == [.init(name: b, changeCount: second)])
        #expect(try await changes(store, since: third).changed.isEmpty)
        let fromTheStart = try await changes(store, since: 0)
        #expect(Set(fromTheStart.changed.map(\.name)) == [a, b, .general])
        try await store.close()
    }

    /// This happens after a store was lost: a watcher asks for changes after a count that the new store has not
    /// assigned. It must be told to start again, or it would wait forever.
    @Test(arguments: [1, 1_000, 1 << 63, UInt64.max - 1_000_000])
    func countThatWasNeverAssignedRequiresAResync_I13(beyond: UInt64) async throws {
        let store = try place.open()
        let count = try await store.put("1", on: a)
        let latest = try await store.commit { try $0.changes(since: 0).latest }
        let all = try await changes(store, since: latest + beyond)
        #expect(all.mustResynchronize && all.latest == latest)
        #expect(Set(all.changed.map(\.name)) == [a, .general])
        let named = try await changes(store, [a, c], since: latest + beyond)
        #expect(named.mustResynchronize && named.changed == [.init(name: a, changeCount: count)])
        // The control: the latest change count needs no resynchronization.
        #expect(
            try await changes(store, since: latest) == Changes(latest: latest, changed: [], mustResynchronize: false))
        try await store.close()
    }

    @Test(arguments: [true, false])
    func removalIsReportedUntilTheNameIsCreatedAgain_I13(persistent: Bool) async throws {
        let store = try place.open()
        let before = try await store.put("1", on: a, persistent: persistent)
        let removal = try await store.commit { try $0.removePasteboard(a) }
        #expect(removal > before)
        for names in [[], [a], [a, b]] {
            let changes = try await changes(store, names, since: before)
            #expect(changes.changed == [.init(name: a, changeCount: 0)] && changes.latest == removal)
        }
        #expect(try await changes(store, since: removal).changed.isEmpty)
        // Who starts from 0 knows no pasteboards, and is told only of those that exist.
        #expect(try await changes(store, [a], since: 0).changed.isEmpty)
        #expect(try await changes(store, since: 0).changed.map(\.name) == [.general])
        let again = try await store.put("2", on: a)
        for names in [[], [a]] {
            #expect(try await changes(store, names, since: before).changed == [.init(name: a, changeCount: again)])
        }
        try await store.close()
    }

    @Test func removalIsReportedAfterARestart_I13() async throws {
        var store = try place.open()
        let before = try await store.put("1", on: a)
        try await store.commit { try $0.removePasteboard(a) }
        try await store.close()
        store = try place.open()
        let changes = try await changes(store, since: before)
        #expect(!changes.mustResynchronize)
        #expect(changes.changed.map(\.name) == [a, .general] && changes.changed[0].changeCount == 0)
        try await store.close()
    }

    @Test func lossOfPasteboardsInMemoryIsReportedAfterARestart_I13() async throws {
        var store = try place.open()
        let before = try await store.put("1", on: a, persistent: false)
        try await store.close()
        store = try place.open()
        #expect(try await changes(store, since: before).mustResynchronize)
        #expect(try await changes(store, [a], since: before).changed == [.init(name: a, changeCount: 0)])
        let latest = try await changes(store, since: before).latest
        #expect(try await !changes(store, since: latest).mustResynchronize)
        #expect(try await changes(store, [a], since: latest).changed.isEmpty)
        try await store.close()
    }

    @Test func positionBeforeTheLogRequiresAResync_I13() async throws {
        var store = try place.open { $0.limits.removalsKept = 4 }
        let before = try await store.put("1", on: a)
        for _ in 0..<20 {
            try await store.put("x", on: b)
            try await store.commit { try $0.removePasteboard(b) }
        }
        #expect(try await changes(store, since: before).mustResynchronize)
        // A pasteboard that has not changed is listed too: the caller takes every other one for removed.
        #expect(try await changes(store, since: before).changed.contains(.init(name: a, changeCount: before)))
        #expect(try await changes(store, [c], since: before).changed == [.init(name: c, changeCount: 0)])
        let latest = try await changes(store, since: before).latest
        #expect(try await !changes(store, since: latest - 1).mustResynchronize)
        try await store.close()
        store = try place.open()
        #expect(try await changes(store, since: before).mustResynchronize)
        try await store.close()
    }
}
