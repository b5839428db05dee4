import Foundation
import IPCModel
import IPCStore
import Synchronization

/// A directory for the stores of one test, removed with the test, and a clock that the test controls.
///
/// Each open store has its own thread, and Dispatch gives a process 256 of them, so the tests of a suite run one after
/// another.
final class TestPlace: Sendable {
    let path: String
    /// The wall clock.
    let clock = TestClock(1_800_000_000_000)
    /// The system's uptime, which cannot be set.
    let uptime = TestClock(50_000_000)

    init() throws {
        let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = root + "/swift-ipc-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var store: String { path + "/store" }
    var database: String { store + "/store.sqlite" }

    func configuration(_ directory: String? = nil) -> StoreConfiguration {
        let (clock, uptime) = (clock, uptime)
        var configuration = StoreConfiguration(directory: directory ?? store) { clock.now }
        configuration.uptime = { uptime.now }
        return configuration
    }

    /// Advances both clocks.
    func pass(_ milliseconds: UInt64) {
        clock.advance(milliseconds)
        uptime.advance(milliseconds)
    }

    /// Opens the store of this place.
    func open(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws -> Store {
        var configuration = configuration()
        change(&configuration)
        return try Store.open(configuration)
    }

    /// Copies an open store's files as a power failure would leave them if everything written was on disk.
    func crashImage(_ name: String = "image") throws -> StoreConfiguration {
        try crashImage(of: store, name)
    }

    func crashImage(of store: String, _ name: String) throws -> StoreConfiguration {
        let image = path + "/" + name
        try FileManager.default.createDirectory(atPath: image, withIntermediateDirectories: true)
        for file in ["store.sqlite", "store.sqlite-wal", "blobs"] {
            guard !FileManager.default.fileExists(atPath: image + "/" + file) else { continue }
            guard FileManager.default.fileExists(atPath: store + "/" + file) else { continue }
            try FileManager.default.copyItem(atPath: store + "/" + file, toPath: image + "/" + file)
        }
        return configuration(image)
    }

    func bytes(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    }

    func write(_ bytes: [UInt8], to file: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file))
    }
}

/// A clock that the test controls.
final class TestClock: Sendable {
    private let time: Mutex<UInt64>

    init(_ start: UInt64) { time = Mutex(start) }

    var now: UInt64 { time.withLock { $0 } }

    func advance(_ milliseconds: UInt64) { time.withLock { $0 += milliseconds } }
    func jump(_ milliseconds: Int64) { time.withLock { $0 = $0.advanced(by: Int(milliseconds)) } }
    func advance(seconds: UInt64) { time.withLock { $0 += seconds * 1_000 } }
    func goBack(seconds: UInt64) { time.withLock { $0 -= seconds * 1_000 } }
}

extension PasteboardName {
    /// A name that is known to be valid.
    static func named(_ text: String) -> PasteboardName {
        do {
            return try PasteboardName(text)
        } catch {
            fatalError(error.description)
        }
    }
}

extension Store {
    /// Creates a pasteboard and sets one text on it.
    @discardableResult
    func put(_ text: String, on name: PasteboardName, persistent: Bool = true) async throws -> UInt64 {
        try await commit { transaction in
            _ = try transaction.createPasteboard(name, persistent: persistent)
            return try transaction.setItems([.string(text)], on: name)
        }
    }

    /// The text of the first item of the current version.
    func text(of name: PasteboardName) async throws -> String? {
        try await commit { try $0.items(of: name).items.first?.string }
    }
}

extension Store {
    /// Like ``commit(_:)``, but without a task: one closure receives the result.
    func commit<Value: Sendable>(
        about board: PasteboardName? = nil, _ body: @escaping Operation<Value>,
        then: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        commit(about: board) { transaction in
            let value = try body(transaction)
            return { _ in then(.success(value)) }
        } failed: { error in
            then(.failure(error))
        }
    }
}
