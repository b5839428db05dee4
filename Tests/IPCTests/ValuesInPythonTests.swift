import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Checks that a Python program can read and write values in JSON without knowing anything about Swift.
@Suite(.serialized)
struct ValuesInPythonTests {
    struct Window: Codable, Hashable {
        var id: UInt64
        var frame: [Double]
    }

    /// Reads the members as Python's own numbers, prints their bits, and writes them as plain JSON numbers.
    private let program = """
        import json, struct, sys
        window = json.load(sys.stdin)
        number, frame = int(window["id"]), [float(side) for side in window["frame"]]
        print(number, *(struct.pack(">d", side).hex() for side in frame))
        print(json.dumps({"id": number, "frame": frame}))
        """

    private func python(_ window: Window) async throws -> [String] {
        let item = try PasteboardItem.value(window)
        return try await RunningProcess.run(
            "python3", ["-c", program], input: .bytes(item.representations[0].value.content)
        ).succeeded().lines
    }

    @Test func everyBitSurvivesARoundTrip() async throws {
        var random = SeededGenerator.forTest("everyBitArrivesAndComesBack")
        var frame = [0.1, -0.0, 1 / 3, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e23]
        while frame.count < 200 {
            let side = Double(bitPattern: .random(in: .min ... .max, using: &random))
            if side.isFinite { frame.append(side) }
        }
        let window = Window(id: .max, frame: frame)
        let lines = try await python(window)
        let bits = frame.map { side in
            let digits = String(side.bitPattern, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
        #expect(lines[0] == (["18446744073709551615"] + bits).joined(separator: " "))
        // Numbers that another language wrote as plain JSON numbers are read as well.
        let back = try #require(try PasteboardItem.data(Array(lines[1].utf8), type: .json).value(Window.self))
        #expect(back.id == .max && back.frame.map(\.bitPattern) == frame.map(\.bitPattern))
    }

    @Test func pythonReadsInfinityAndNaNToo() async throws {
        let lines = try await python(Window(id: 1, frame: [.infinity, -.infinity, .nan]))
        #expect(lines[0] == "1 7ff0000000000000 fff0000000000000 7ff8000000000000")
    }
}
