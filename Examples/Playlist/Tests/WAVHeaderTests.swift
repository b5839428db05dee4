import Foundation
import Playlists
import Testing

/// The reader of headers, compared with the module `wave` of Python.
final class WAVHeaderTests {
    private let folder = FileManager.default.temporaryDirectory.appending(component: "wav-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a Python script, and returns its lines.
    private func run(_ arguments: String...) throws -> (lines: [Substring], status: Int32) {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/python3")
        (process.arguments, process.standardOutput) = (arguments, pipe)
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: output, as: UTF8.self).split(separator: "\n"), process.terminationStatus)
    }

    /// The frame rate and the number of frames, in the form in which the scripts print them; `nil` if the reader rejects
    /// the file.
    private func facts(_ path: some StringProtocol) -> String? {
        WAVHeader(ofFile: String(path)).map { "\($0.frameRate) \($0.frames)" }
    }

    private static let read = """
        import os, random, struct, sys, wave
        def facts(path):
            try:
                with wave.open(path) as file: return f"{file.getframerate()} {file.getnframes()}"
            except Exception: return "rejected"
        """

    /// Writes files of all kinds, with other chunks before the format and the samples.
    private static let write =
        read + "\n" + """
            random.seed(sys.argv[2])
            for number in range(300):
                path = f"{sys.argv[1]}/{number}.wav"
                with wave.open(path, "w") as file:
                    channels, width = random.randint(1, 6), random.randint(1, 4)
                    file.setparams((channels, width, random.choice((1, 8000, 44100, 192000)), 0, "NONE", ""))
                    file.writeframes(bytes(channels * width * random.randint(0, 900)))
                data = open(path, "rb").read()
                def chunk(): return struct.pack("<4sI", b"LIST", size) + bytes(size + size % 2)
                for place in (36, 12):
                    size = random.randint(0, 9)
                    if random.random() < 0.5: data = data[:place] + chunk() + data[place:]
                data = data[:4] + struct.pack("<I", len(data) - 8) + data[8:]
                open(path, "wb").write(data)
                print(f"{facts(path)}:{path}")
            """

    /// Damages each file in several ways, and prints what `wave` makes of it.
    private static let damage =
        read + "\n" + """
            random.seed(sys.argv[2])
            for number in range(300):
                data = open(f"{sys.argv[1]}/{number}.wav", "rb").read()
                for turn in range(4):
                    bad = bytearray(data)
                    if turn == 0: bad = bad[:random.randrange(len(bad))]
                    for _ in range(turn): bad[random.randrange(min(len(bad), 60))] = random.choice((0, 1, 2, 255))
                    path = f"{sys.argv[1]}/{number}-{turn}.wav"
                    open(path, "wb").write(bad)
                    print(f"{facts(path)}:{path}")
            """

    @Test func headersAreReadAsPythonReadsThem() throws {
        let seed = "\(UInt32.random(in: 0 ... .max))"
        let whole = try run("-c", Self.write, folder.path, seed)
        #expect(whole.lines.count == 300 && whole.status == 0)
        for line in whole.lines {
            let words = line.split(separator: ":")
            #expect(facts(words[1]) == String(words[0]), "seed \(seed)")
        }
        // Each header that is accepted is accepted by Python too, with the same numbers.
        var (accepted, rejected) = (0, 0)
        for line in try run("-c", Self.damage, folder.path, seed).lines {
            let words = line.split(separator: ":")
            let facts = facts(words[1])
            if facts == nil { rejected += 1 } else { accepted += 1 }
            #expect(facts == nil || facts == String(words[0]), "seed \(seed)")
        }
        #expect(accepted > 20 && rejected > 300, "seed \(seed): \(accepted), \(rejected)")
    }

    @Test func damagedHeadersAreRejected() throws {
        _ = try run("-c", Self.write, folder.path, "1")
        let path = folder.appending(component: "x.wav").path
        let good: [UInt8] =
            Array("RIFF".utf8) + [40, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0]
            + [0x80, 0x3E, 0, 0, 2, 0, 16, 0] + Array("data".utf8) + [4, 0, 0, 0, 1, 0, 2, 0]
        func accepts(_ bytes: [UInt8]) throws -> Bool {
            try Data(bytes).write(to: URL(filePath: path))
            return facts(path) != nil
        }
        #expect(try accepts(good) && facts(path) == "8000 2")
        #expect(try accepts(good + [1, 2, 3]), "what follows the chunk RIFF does not matter")
        for count in 0..<good.count { #expect(try !accepts(Array(good[..<count])), "\(count) bytes") }
        // Every bit of the header means something. Without one of them, the file has no samples, which is not damage.
        for place in good.indices.dropLast(4) {
            for bit in 0..<8 {
                var bad = good
                bad[place] ^= 1 << bit
                let isAccepted = try accepts(bad)
                #expect(isAccepted == (place == 40 && bit == 2), "byte \(place), bit \(bit)")
            }
        }
    }

    @Test func theTonesAreWAVFiles() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(component: "../make-tones").path
        let tones = folder.appending(component: "tones").path
        let made = try run(script, tones)
        #expect(made.status == 0 && made.lines.count == 4)
        let headers = try made.lines.map { try #require(WAVHeader(ofFile: String($0))) }
        #expect(headers.map(\.milliseconds) == [1_800, 1_400, 1_750, 1_200])
        for (path, header) in zip(made.lines, headers) {
            let read =
                Self.read + "\nfile = wave.open(sys.argv[1]); print(*file.getparams()[:4], facts(sys.argv[1]))"
                + "\nsamples = struct.unpack(f'<{file.getnframes()}h', file.readframes(file.getnframes()))"
                + "\nprint(max(samples) > 9000, min(samples) < -9000)"
            #expect(
                try run("-c", read, String(path)).lines == [
                    "1 2 8000 \(header.frames) 8000 \(header.frames)", "True True",
                ])
        }
        #expect(try Set(made.lines.map { try Track(ofFile: String($0)).id }).count == 4)
        #expect(try run(script, tones).status == EX_CANTCREAT, "no file is replaced")
        #expect(try run(script).status == EX_USAGE)
    }
}
