import CLinux
import Foundation
import Glibc
import IPCModel
import IPCStore

/// Files as programs pass them for large values.
enum ValueFile: String, CaseIterable, Sendable, Codable {
    /// A memory file that no program can change.
    case sealed
    /// A memory file that its writer can change.
    case unsealed
    /// A file in a folder.
    case regular

    /// Creates a file with the given bytes.
    func make(_ bytes: [UInt8]) -> ContentFile {
        let descriptor: CInt
        switch self {
        case .sealed, .unsealed:
            descriptor = clinux_memory_file("value of a test")
        case .regular:
            var template = Array("/tmp/swift-ipc-value-XXXXXX".utf8CString)
            descriptor = mkstemp(&template)
            unlink(template)
        }
        precondition(descriptor >= 0, "no file can be made")
        Self.write(bytes, to: descriptor)
        if self == .sealed { precondition(clinux_seal(descriptor) == 0) }
        return ContentFile(owning: descriptor, byteCount: bytes.count)
    }

    static func write(_ bytes: [UInt8], to descriptor: CInt) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done) }
            precondition(count > 0, "a file cannot be written")
            done += count
        }
    }

    /// An item with its own file.
    func item(_ bytes: [UInt8], type: ContentType = .octetStream) -> PasteboardItem {
        .file(make(bytes), type: type)
    }

    /// Bytes that differ from page to page, and from seed to seed.
    static func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: seed), count: count)
        bytes.withUnsafeMutableBytes { bytes in
            for place in stride(from: 0, to: count - 8, by: 4_096) {
                let mark = UInt64(place) &* 0x9E37_79B9_7F4A_7C15 ^ seed
                bytes.storeBytes(of: mark, toByteOffset: place, as: UInt64.self)
            }
        }
        return bytes
    }
}

extension PasteboardItem {
    static func file(_ file: ContentFile, type: ContentType = .octetStream) -> PasteboardItem {
        do {
            return try PasteboardItem([Representation(type: type, value: .file(file))])
        } catch {
            fatalError(error.description)
        }
    }

    /// The bytes of the item's first value, even if that value is a file.
    var firstBytes: [UInt8] {
        get throws {
            switch representations[0].value {
            case .text(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            case .file(let file): try file.withBytes { Array($0) }
            }
        }
    }

    var firstFile: ContentFile? { if case .file(let file) = representations[0].value { file } else { nil } }
}

extension Store {
    /// Creates a pasteboard and sets items on it, which may have files.
    @discardableResult
    func put(_ items: [PasteboardItem], on name: PasteboardName, persistent: Bool) async throws -> UInt64 {
        try await withIntake(of: items, on: name, persistent: persistent) { items in
            try await commit { transaction in
                _ = try transaction.createPasteboard(name, persistent: persistent)
                return try transaction.setItems(items, on: name)
            }
        }
    }

    /// Returns the names of the blobs, once at most `waiting` of them are new files without a row.
    ///
    /// A rejected file stays until the last thread that used it has moved on, which may be a moment after its caller is
    /// answered. After ten seconds, the current names are returned.
    func blobs(waiting: Int = 0) async throws -> [String] {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            try await removals()
            let names = try FileManager.default.contentsOfDirectory(atPath: directory + "/blobs").sorted()
            let count = names.count { $0.hasPrefix("incoming-") }
            if count <= waiting || ContinuousClock.now > end { return names }
            await Task.yield()
        }
    }
}

/// Information from the system about the test's own process.
enum ThisProcess {
    /// Open descriptors.
    static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    /// Waits until at most `most` descriptors are open, for up to one second, and returns their number (I17). A thread
    /// may still hold a descriptor for a moment after its work is answered.
    static func descriptors(downTo most: Int) async -> Int {
        let end = ContinuousClock.now + .seconds(1)
        while descriptors > most, ContinuousClock.now < end { await Task.yield() }
        return descriptors
    }

    /// Memory in bytes that is not backed by files; `RssAnon` of proc_pid_status(5).
    static var anonymousBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
    }

    /// Whether tests run at their full size.
    static var isFullSize: Bool { ProcessInfo.processInfo.environment["IPC_TEST_SIZE"] == "full" }
}
