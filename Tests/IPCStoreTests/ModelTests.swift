import Foundation
import IPCModel
import IPCStore
import Testing

/// Thousands of random operations, each performed on the store and on the simple model, and compared.
@Suite(.serialized) struct ModelTests {
    static let seeds: UInt64 = ProcessInfo.processInfo.environment["IPC_TEST_SIZE"] == "full" ? 40 : 3

    @Test(arguments: 1...ModelTests.seeds)
    func storeMatchesTheModel(seed: UInt64) async throws {
        var run = try ModelRun(seed: seed)
        for _ in 0..<600 { try await run.step() }
        try await run.compareAll()
        try await run.store.close()
    }
}

/// One run of random operations.
struct ModelRun {
    let place: TestPlace
    var store: Store
    var model = ModelStore()
    var random: RandomSource
    var last: UInt64 = 0
    var images = 0

    static let names = ["general", "a", "b", "c", "d"].map { PasteboardName.named($0) }

    init(seed: UInt64) throws {
        place = try TestPlace()
        store = try place.open()
        random = RandomSource(seed: seed)
    }

    mutating func step() async throws {
        if model.boards.isEmpty { try await adoptGeneral() }
        if random.chance(0.2) { try await pass() }
        let name = Self.names.randomElement(using: &random) ?? .general
        if random.chance(0.25) { return try await stepRequest(name) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: try await write(name, adds: false)
        case 30..<50: try await write(name, adds: true)
        case 50..<58: try await take(name)
        case 58..<64: try await clear(name)
        case 64..<70: try await create(name)
        case 70..<75: try await remove(name)
        case 75..<80: try await setLimit(name)
        case 80..<86: try await move(name)
        case 86..<93: try await compare(name)
        case 93..<97: try await readOnce(name)
        case 97: try await fail(name)
        default: try await restart()
        }
    }

    private mutating func adoptGeneral() async throws {
        let state = try #require(try await store.commit { try $0.pasteboard(.general) })
        model.boards[.general] = board(state)
    }

    private func board(_ state: Board) -> ModelStore.Board {
        ModelStore.Board(
            isPersistent: state.isPersistent, limit: Int(state.historyLimit),
            versions: state.versions.map { .init(count: $0, items: []) })
    }

    /// Checks that a new change count is greater than all before it.
    private mutating func note(_ count: UInt64) throws {
        try #require(count > last)
        last = max(last, count)
    }

    mutating func items() throws -> [PasteboardItem] {
        try (0..<Int.random(in: 0...3, using: &random)).map { _ in
            let types = [ContentType.utf8PlainText, .html, .png].shuffled(using: &random)
            return try PasteboardItem(
                types.prefix(Int.random(in: 1...3, using: &random)).map { type in
                    let bytes = random.bytes(0...(random.chance(0.02) ? 20_000 : 60))
                    let text = String(decoding: bytes, as: UTF8.self)
                    return Representation(type: type, value: random.chance(0.5) ? .bytes(bytes) : .text(text))
                })
        }
    }

    private mutating func write(_ name: PasteboardName, adds: Bool) async throws {
        let items = try items()
        let current = model.boards[name]?.versions.last
        var options = WriteOptions()
        if random.chance(0.3) { options.ifChangeCount = (current?.count ?? 5) + (random.chance(0.3) ? 1 : 0) }
        if random.chance(0.4) { options.id = .random(using: &random) }
        if random.chance(0.2) { options.timeToLive = UInt64.random(in: 1...60_000, using: &random) }
        options.isOnce = random.chance(0.2)
        let (asked, repeats) = (options, options.id != nil && random.chance(0.5))
        do {
            let count = try await store.commit {
                adds ? try $0.addItems(items, to: name, asked) : try $0.setItems(items, on: name, asked)
            }
            try note(count)
            try #require(asked.ifChangeCount == nil || asked.ifChangeCount == current?.count)
            let all = adds ? (current?.items ?? []) + items : items
            let version = version(count, all, asked, adds ? current : nil)
            model.boards[name]?.append(version)
            guard repeats else { return }
            let again = try await store.commit {
                adds ? try $0.addItems(items, to: name, asked) : try $0.setItems(items, on: name, asked)
            }
            try #require(again == count)
        } catch PasteboardError.noSuchPasteboard {
            try #require(current == nil)
        } catch PasteboardError.changeCountMismatch(let expected, let actual) {
            try #require(expected != actual && actual == current?.count)
        }
    }

    /// The version that a write creates. Added content expires together with the existing content, and is also for a
    /// single reader if the existing content is.
    private func version(
        _ count: UInt64, _ items: [PasteboardItem], _ options: WriteOptions, _ base: ModelStore.Version?
    ) -> ModelStore.Version {
        guard !items.isEmpty else { return .init(count: count, items: items) }
        let (now, uptime) = (place.clock.now, place.uptime.now)
        let left = [options.timeToLive, base?.deadline.map { $0 - uptime }].compactMap { $0 }.min()
        return .init(
            count: count, items: items, isOnce: options.isOnce || base?.isOnce == true,
            life: left.map { .init(deadline: uptime + $0, written: now, ends: now + $0) })
    }

    /// Lets time pass, sometimes also sets the wall clock, and removes expired content.
    private mutating func pass() async throws {
        place.pass(UInt64.random(in: 0...30_000, using: &random))
        if random.chance(0.3) { place.clock.jump(Int64.random(in: -100_000...100_000, using: &random)) }
        let (now, uptime) = (place.clock.now, place.uptime.now)
        model.taken = model.taken.filter {
            !($0.value.time + 600_000 <= now) && $0.value.deadline.map { $0 > uptime } ?? true
        }
        try await endOver()
    }

    /// Removes expired content, through either the timer or a read.
    private mutating func endOver() async throws {
        let isTimer = random.chance(0.5)
        if isTimer { _ = try await store.commit { try $0.expire() } }
        for name in model.boards.keys.sorted() where model.boards[name]?.end(at: place.uptime.now) == true {
            let count = try #require(try await store.commit { try $0.pasteboard(name)?.changeCount })
            try #require(model.boards.values.allSatisfy { $0.versions.allSatisfy { $0.count != count } })
            if !isTimer { try note(count) }
            last = max(last, count)
            model.boards[name]?.versions.append(.init(count: count, items: []))
        }
    }

    /// Reads content. If it is for one reader only, a second read must find the pasteboard empty.
    private mutating func readOnce(_ name: PasteboardName) async throws {
        guard let current = model.boards[name]?.versions.last else { return }
        let read = try await store.commit { try $0.items(of: name) }
        try #require(read.items == current.items && read.facts.isOnce == current.isOnce)
        guard current.isOnce else { return }
        let empty = try await store.commit { try $0.items(of: name) }
        try #require(empty.items.isEmpty)
        try note(empty.facts.changeCount)
        model.boards[name]?.versions.removeLast()
        model.boards[name]?.append(.init(count: empty.facts.changeCount, items: []))
    }

    private mutating func take(_ name: PasteboardName) async throws {
        let current = model.boards[name]?.versions.last
        let options = ReadOptions(id: random.chance(0.5) ? .random(using: &random) : nil)
        do {
            let taken = try await store.commit { try $0.takeItems(of: name, options) }
            try #require(taken.content.items == current?.items)
            if current?.items.isEmpty == false {
                try note(taken.changeCount)
                model.boards[name]?.versions.removeLast()
                model.boards[name]?.append(.init(count: taken.changeCount, items: []))
            }
            guard let id = options.id else { return }
            model.taken[id] = .init(
                name: name, items: taken.content.items, count: taken.changeCount, time: place.clock.now,
                deadline: current?.deadline)
            model.itemsTaken += taken.content.items.count
        } catch PasteboardError.noSuchPasteboard {
            try #require(current == nil)
        }
    }

    private mutating func clear(_ name: PasteboardName) async throws {
        guard model.boards[name] != nil else { return }
        let count = try await store.stage { try $0.clear(name) }.value
        try note(count)
        model.boards[name]?.append(.init(count: count, items: []))
    }

    private mutating func create(_ name: PasteboardName) async throws {
        let persistent = random.chance(0.5)
        let made = try await store.commit { try $0.createPasteboard(name, persistent: persistent) }
        try #require(made.isNew == (model.boards[name] == nil))
        guard made.isNew else { return }
        try note(made.pasteboard.changeCount)
        model.boards[name] = board(made.pasteboard)
    }

    private mutating func remove(_ name: PasteboardName) async throws {
        guard name != .general, model.boards[name] != nil else { return }
        try note(await store.commit { try $0.removePasteboard(name) })
        model.boards[name] = nil
    }

    private mutating func setLimit(_ name: PasteboardName) async throws {
        guard model.boards[name] != nil else { return }
        let limit = Int.random(in: 0...6, using: &random)
        try await store.commit { try $0.setHistoryLimit(UInt32(limit), of: name) }
        model.boards[name]?.limit = limit
        model.boards[name]?.trim()
    }

    private mutating func move(_ name: PasteboardName) async throws {
        guard model.boards[name] != nil else { return }
        let persistent = random.chance(0.5)
        try await store.commit { try $0.setPersistent(persistent, of: name) }
        model.boards[name]?.isPersistent = persistent
    }

    /// Runs an operation that writes to every pasteboard and then throws.
    private func fail(_ name: PasteboardName) async throws {
        struct Refusal: Error {}
        let names = Array(model.boards.keys)
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                for name in names {
                    _ = try transaction.items(of: name)
                    _ = try transaction.setItems([.string("never")], on: name, WriteOptions(timeToLive: 1))
                }
                throw Refusal()
            }
        }
    }

    private func compare(_ name: PasteboardName) async throws {
        let expected = model.boards[name]
        let state = try await store.commit { try $0.pasteboard(name) }
        try #require(state?.versions == expected?.versions.map(\.count), "\(name)")
        try #require(state?.isPersistent == expected?.isPersistent)
        for version in expected?.versions ?? [] {
            if version.isOnce {
                let facts = try await store.commit { try $0.facts(of: name, changeCount: version.count) }
                try #require(facts.isOnce && facts.itemCount == version.items.count)
                continue
            }
            let read = try await store.commit { try $0.items(of: name, ReadOptions(changeCount: version.count)) }
            try #require(read.items == version.items)
        }
    }

    func compareAll() async throws {
        for name in Self.names { try await compare(name) }
        try await compareRequests()
        for (id, taken) in model.taken {
            let again = try await store.commit { try $0.takeItems(of: taken.name, ReadOptions(id: id)) }
            try #require(again.content.items == taken.items && again.changeCount == taken.count)
        }
        try await compareUsage()
        let listed = try await store.commit { try $0.pasteboards(limit: 100).map(\.name) }
        try #require(listed == model.boards.keys.sorted())
        let latest = last
        let changes = try await store.commit { try $0.changes(since: 0) }
        try #require(changes.latest >= latest)
        let counts = Set(model.boards.values.compactMap(\.versions.last?.count))
        try #require(Set(changes.changed.map(\.changeCount)) == counts)
    }

    private func compareUsage() async throws {
        let total = try await store.commit { $0.usage() }.total
        let items = model.boards.values.flatMap(\.versions).reduce(0) { $0 + $1.items.count }
        // Requests share their content with pasteboards and each other, or have their own.
        let held = model.requests.reduce(0) { $0 + ($1.items?.count ?? 0) }
        try #require(total.pasteboards == UInt64(model.boards.count))
        try #require((UInt64(items)...UInt64(items + held + model.itemsTaken)).contains(total.items))
    }

    /// Closes the store cleanly, or continues from the state that a crash leaves.
    private mutating func restart() async throws {
        try await compareAll()
        if random.chance(0.5) {
            // Staged content is lost in a crash, so flush it to disk first.
            try await store.put("barrier", on: .named("barrier"))
            try await store.commit { try $0.removePasteboard(.named("barrier")) }
            images += 1
            let image = try place.crashImage(of: store.directory, "image-\(images)")
            try await store.close()
            store = try Store.open(image)
        } else {
            let configuration = place.configuration(store.directory)
            try await store.close()
            store = try Store.open(configuration)
        }
        let general = try #require(try await store.commit { try $0.pasteboard(.general) })
        model.restart(general: board(general), at: place.clock.now, uptime: place.uptime.now)
        last = max(last, general.isPersistent ? 0 : general.changeCount)
        try await endOver()
    }
}
