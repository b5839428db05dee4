import IPCTesting
import Testing

/// Frames go from one program to another, in Swift and in Python, without losing a bit.
@Suite(.privateBus)
struct WindowFramesTests {
    private static let board = "com.example.WindowFrames.机"

    private func run(_ arguments: [String]) async throws -> ProcessOutput {
        try await RunningProcess.run(
            try Binaries.example("frames"), arguments, environment: try ExamplePlace.environment)
    }

    private func python(_ arguments: [String]) async throws -> ProcessOutput {
        try await RunningProcess.run(
            ExamplePlace.folder("WindowFrames/frames.py"), arguments, environment: try ExamplePlace.environment)
    }

    /// The bits of the restored numbers, in order.
    private func restoredBits() async throws -> [UInt64] {
        try await run(["restore", "机", "--bits"]).succeeded().lines.flatMap { line in
            try line.split(separator: ",").map { try #require(UInt64($0, radix: 16)) }
        }
    }

    /// The bits of the numbers as Python reads them.
    private func bitsInPython() async throws -> [UInt64] {
        try await python(["机"]).succeeded().lines.flatMap { line in
            try line.split(separator: " ").map { try #require(Double($0)).bitPattern }
        }
    }

    /// Frames with bit patterns of all kinds, a multiple of four, none of them NaN.
    private func numbers(_ count: Int) -> [Double] {
        var generator = SeededGenerator.forTest("WindowFrames")
        let special: [Double] = [
            0, -0.0, 0.1 + 0.2, 1 / 3, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
            .leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity,
        ]
        let random = (special.count..<count).map { place in
            while true {
                // Every fourth number is subnormal, because random bits hardly ever are.
                let bits = place.isMultiple(of: 4) ? generator.next() & ~(0x7FF << 52) : generator.next()
                if !Double(bitPattern: bits).isNaN { return Double(bitPattern: bits) }
            }
        }
        return (special + random).shuffled(using: &generator)
    }

    private func frames(_ numbers: [Double]) -> [String] {
        stride(from: 0, to: numbers.count, by: 4).map { start in
            numbers[start..<(start + 4)].map { "\($0)" }.joined(separator: ",")
        }
    }

    @Test func `every number comes back bit for bit`() async throws {
        let broker = try await BrokerProcess.start()
        let numbers = numbers(TestSize.pick(small: 800, full: 4_000))
        let bits = numbers.map(\.bitPattern)
        _ = try await run(["save", "机"] + frames(numbers) + ["--pointer", "-0.0,5e-324"]).succeeded()
        #expect(try await restoredBits() == bits + [1 << 63, 1])
        #expect(try await bitsInPython() == bits)
        // The text is exact too.
        let lines = try await run(["restore", "机"]).succeeded().lines
        #expect(lines == frames(numbers) + ["-0.0,5e-324"])
        // The pasteboard is persistent, so the frames are there after a restart.
        try await broker.restart()
        #expect(try await restoredBits() == bits + [1 << 63, 1])
        // In the other direction.
        let back = numbers.map { -$0 }
        _ = try await python(["机"] + frames(back)).succeeded()
        #expect(try await restoredBits() == back.map(\.bitPattern))
    }

    @Test func `control: a program that rounds is noticed`() async throws {
        _ = try await BrokerProcess.start()
        let numbers = [0.1 + 0.2, -0.0, 640.125, 480]
        _ = try await run(["save", "机"] + frames(numbers)).succeeded()
        // 15 digits are too few, and the number 0 has no sign.
        let json = #"{"frames":[[[0.3,0],[640.125,480]]]}"#
        _ = try await Tools.client(["set", Self.board, "--type", "application/json", json]).succeeded()
        let bits = try await restoredBits()
        #expect(zip(bits, numbers).map { $0 == $1.bitPattern } == [false, false, true, true])
    }

    @Test func `frames are moved into a smaller screen, and the saved ones stay`() async throws {
        _ = try await BrokerProcess.start()
        // The windows were on two screens, the second one to the left.
        let saved = ["-1280.0,0.0,1280.0,1024.0", "100.5,50.25,800.0,600.0", "1800.0,1000.0,400.0,300.0"]
        _ = try await run(["save", "机", "--pointer", "-5,2000"] + saved).succeeded()
        let moved = try await run(["restore", "机", "--into", "0,0,1024,768"]).succeeded()
        #expect(
            moved.lines == [
                "0.0,0.0,1024.0,768.0", "100.5,50.25,800.0,600.0", "624.0,468.0,400.0,300.0", "0.0,768.0",
            ])
        #expect(try await run(["restore", "机", "--into", "-1280,0,3200,1200"]).lines.first == saved[0])
        #expect(try await run(["restore", "机"]).lines == saved + ["-5.0,2000.0"])
    }

    @Test func `wrong input is explained`() async throws {
        _ = try await BrokerProcess.start()
        func check(_ arguments: [String], _ status: Int32, _ text: String) async throws {
            let told = try await run(arguments)
            #expect(told.status == .exited(status) && told.output.isEmpty && told.errors.contains(text), "\(told)")
        }
        try await check(["save", "机", "1,2,3"], 64, "'1,2,3'")
        try await check(["save", "机", "1,2,3,4", "--pionter", "1,2"], 64, "--pionter")
        try await check(["save", "机", "1,2,3,x"], 64, "'1,2,3,x'")
        try await check(["save", "机", "1,2,3,1e999"], 64, "1e999")
        try await check(["save", "机", "1,2,nan,4"], 64, "'1,2,nan,4'")
        try await check(["save", "机", "1,2,0x1p3,4"], 64, "0x1p3")
        try await check(["save", "机"], 64, "Missing")
        try await check(["restore", "机", "--into", "0,0,0,5"], 64, "--into")
        try await check(["restore", "机", "--into", "0,0,inf,5"], 64, "--into")
        try await check(["restore", "机"], 66, "“\(Self.board)”; create it with 'frames save'")
        #expect(try await python(["机"]).status == .exited(66))
        for (content, text) in [
            (#"{"frames":[[["nan","0"],["1","2"]]]}"#, "nan"), (#"{"frames":[[[1,2],[3]]]}"#, "elements"),
            (#"{"frames":[[[NaN,2],[3,4]]]}"#, "JSON"), (#"{"frames":[[["1e999",2],[3,4]]]}"#, "1e999"),
            ("{}", "frames"),
        ] {
            _ = try await Tools.client(["set", Self.board, "--type", "application/json", content]).succeeded()
            try await check(["restore", "机"], 65, text)
        }
        _ = try await Tools.client(["board", "clear", Self.board])
    }

    @Test func `Swift and Python accept the same frames`() async throws {
        _ = try await BrokerProcess.start()
        func isRead(_ json: String, _ bits: [UInt64]) async throws -> [Bool] {
            _ = try await Tools.client(["set", Self.board, "--type", "application/json", json]).succeeded()
            let read = [try await run(["restore", "机", "--bits"]), try await python(["机"])]
            if read.allSatisfy({ $0.status == .success }) {
                #expect(try await restoredBits() == bits, "\(json)")
                #expect(try await bitsInPython() == bits, "\(json)")
            }
            return read.map { output in
                #expect(output.status == .success || output.status == .exited(65) && output.output.isEmpty, "\(output)")
                return output.status == .success
            }
        }
        let good = [
            "1", "-0.0", "1E5", #""1""#, #""+1.""#, #"".5""#, #""1e+23""#, #""5e-324""#, #""1e-999""#, #""inf""#,
            #""-inf""#,
        ]
        for text in good {
            let number = try #require(Double(text.filter { $0 != "\"" }))
            let json = #"{"frames":[[["1","2"],["3",\#(text)]]]}"#
            #expect(try await isRead(json, [1, 2, 3, number].map(\.bitPattern)) == [true, true], "\(text)")
        }
        let bad =
            [
                #""0x1p3""#, #""nan""#, #""Infinity""#, #""+inf""#, #""1_0""#, #"" 1""#, #""１""#, "\"\"", #""1e999""#,
                #""e5""#, "1e999", "NaN", "Infinity", "true", "null", "[1]",
            ].map { #"[["1","2"],["3",\#($0)]]"# }
            + [
                #"["1","2"],["3","4"],["5","6"]"#, #"["1","2","3"],["1","1"]"#, #"["1","2"],["3"]"#, #""12","34""#,
                "1,2,3,4",
            ].map { "[\($0)]" }
        for frame in bad { #expect(try await isRead(#"{"frames":[\#(frame)]}"#, []) == [false, false], "\(frame)") }
        #expect(try await isRead(#"{"frames":{}}"#, []) == [false, false])
    }

    @Test func `the demonstration opens real windows where they were, and ends by itself`() async throws {
        _ = try await BrokerProcess.start()
        let shown = try await ExamplePlace.demo("WindowFrames")
        #expect(shown.status == .success, "\(shown)")
        #expect(shown.output.ranges(of: "$ geometry\n120,80,640,480\n800,600,200,100\n").count == 2, "\(shown)")
        #expect(try await !Tools.client(["board", "list"]).succeeded().output.contains("demo-"))
    }
}
