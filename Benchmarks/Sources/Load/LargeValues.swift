import Glibc
import IPC
import IPCDBus

/// One large value, to a pasteboard and out again by descriptor, all bytes compared.
@DBusActor
enum LargeValues {
    /// `payload mib=64 rounds=5 persistent=yes board=large`: the fastest of the rounds after two that are not measured.
    /// Others may be slowed by what neither we nor the floor can help: a virtual machine gives free memory back to its host
    /// within seconds, and who touches it next waits for it.
    ///
    /// Two, on a board without a history: while one version is written the one before is still there, so that two of them
    /// take all pages that any later round needs. The floor uses the same pages from its first round on.
    static func run(_ settings: Settings) async throws {
        let app = try await Application.connect(id: "org.example.Writer")
        let board = try await app.pasteboard(
            named: PasteboardName(settings.text("board", "large")), create: true,
            persistent: settings.flag("persistent"))
        try await board.setHistoryLimit(0)
        let size = try settings.number("mib", 64) << 20
        let rounds = try settings.number("rounds", 5)
        // As the floor fills its own.
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            for place in 0..<size {
                buffer[place] = UInt8(truncatingIfNeeded: UInt32(truncatingIfNeeded: place) &* 2_654_435_761 >> 13)
            }
            count = size
        }
        var times: [[Duration]] = []
        for _ in 0..<warmUps + rounds { times.append(try await round(bytes, board)) }
        guard let fastest = times.dropFirst(warmUps).min(by: { $0.reduce(.zero, +) < $1.reduce(.zero, +) }) else {
            throw Settings.Mistake(description: "rounds=0 measures nothing")
        }
        let seconds = fastest.map { $0.microseconds / 1e6 }
        let all = seconds.reduce(0, +)
        printObject([
            ("mib", Double(size >> 20)), ("gb-per-s", Double(size) / all / 1e9), ("seconds", all),
            ("write-seconds", seconds[0]), ("read-seconds", seconds[1]), ("compare-seconds", seconds[2]),
        ])
    }

    private static let warmUps = 2

    /// One round: the times to write, to read, and to compare.
    private static func round(_ bytes: [UInt8], _ board: Pasteboard) async throws -> [Duration] {
        let start = ContinuousClock.now
        try await board.setItems([.data(bytes)])
        let written = ContinuousClock.now
        guard case .file(let file)? = try await board.items.first?.representations.first?.value else {
            throw Settings.Mistake(description: "the value did not come as a file")
        }
        let read = ContinuousClock.now
        let isSame = try file.withBytes { mapped in
            bytes.withUnsafeBytes {
                mapped.count == $0.count && memcmp(mapped.baseAddress!, $0.baseAddress!, $0.count) == 0
            }
        }
        guard isSame else { throw Settings.Mistake(description: "the bytes differ") }
        return [written - start, read - written, ContinuousClock.now - read]
    }
}
