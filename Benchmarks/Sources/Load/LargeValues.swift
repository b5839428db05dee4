import Glibc
import IPC
import IPCDBus

/// Writes one large value to a pasteboard, reads it back by descriptor, and compares all bytes.
@DBusActor
enum LargeValues {
    /// `payload mib=64 rounds=5 persistent=yes board=large`: prints the times of the fastest round. Slower rounds show
    /// a property of the virtual machine: it returns free memory to its host within seconds, and a program that touches
    /// that memory again has to wait.
    ///
    /// The first two rounds are not measured. Although the pasteboard has no history, the previous version exists until
    /// the next one is written, so two versions touch all pages that later rounds use. The program for comparison
    /// (`Floor/payload.c`) needs only one such round.
    static func run(_ settings: Settings) async throws {
        let app = try await Application.connect(id: "org.example.Writer")
        let board = try await app.pasteboard(
            named: PasteboardName(settings.text("board", "large")), create: true,
            persistent: settings.flag("persistent"))
        try await board.setHistoryLimit(0)
        let size = try settings.number("mib", 64) << 20
        let rounds = try settings.number("rounds", 5)
        // The same bytes as in the program for comparison, `Floor/payload.c`.
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

    /// Runs one round; returns the times to write, to read, and to compare.
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
