import Glibc
import IPCTesting
import Testing

@Suite struct RunningProcessTests {
    @Test func `output, error output and exit code of a program are read`() async throws {
        let result = try await RunningProcess.run("sh", ["-c", "cat; echo wrong >&2; exit 3"], input: .text("hello\n"))
        #expect(result.status == .exited(3))
        #expect(result.output == "hello\n")
        #expect(result.errors == "wrong\n")
        #expect(throws: HarnessError.self) { try result.succeeded() }
    }

    @Test func `arguments and input may be any bytes`() async throws {
        let result = try await RunningProcess.run(
            "/bin/sh", ["-c", "printf %s \"$0\"; cat"], rawArguments: [[0xff, 0x61, 0xc3]], input: .bytes([0, 0xfe]))
        #expect(result.outputBytes == [0xff, 0x61, 0xc3, 0, 0xfe])
    }

    @Test func `a large input and output pass`() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let result = try await RunningProcess.run("cat", input: .bytes(bytes))
        #expect(result.outputBytes == bytes)
    }

    @Test func `a program may end without reading its input`() async throws {
        let result = try await RunningProcess.run("true", input: .bytes([UInt8](repeating: 1, count: 1_000_000)))
        #expect(result.status == .success)
    }

    @Test func `a missing program is an error with its name`() async throws {
        await #expect { try await RunningProcess.start("/nowhere/tool") } throws: { "\($0)".contains("/nowhere/tool") }
        await #expect { try await RunningProcess.start("no-such-tool") } throws: { "\($0)".contains("no-such-tool") }
    }

    @Test func `lines are events, and the last line needs no newline`() async throws {
        let process = try await RunningProcess.start(
            "sh", ["-c", "while read -r l; do echo \"got $l\"; done; printf end"])
        process.write("one\n")
        #expect(try await process.nextLine() == "got one")
        process.write("two\nthree\n")
        #expect(try await process.waitForLine { $0.hasSuffix("three") } == "got three")
        process.closeInput()
        #expect(try await process.nextLine() == "end")
        #expect(try await process.nextLine() == nil)
        #expect(try await process.wait() == .success)
    }

    @Test func `an expired deadline reports the output so far`() async throws {
        let process = try await RunningProcess.start("sh", ["-c", "echo so far; echo complaint >&2; exec cat"])
        await #expect {
            try await process.waitForLine(deadline: .milliseconds(200)) { $0 == "never" }
        } throws: {
            "\($0)".contains("so far") && "\($0)".contains("complaint")
        }
        await #expect {
            try await RunningProcess.run("sh", ["-c", "echo stuck; exec sleep 1000"], deadline: .milliseconds(200))
        } throws: {
            "\($0)".contains("stuck")
        }
        await process.end()
    }

    @Test func `the end of the output ends the wait for a line`() async throws {
        let process = try await RunningProcess.start("sh", ["-c", "echo last words; exit 9"])
        await #expect { try await process.waitForLine { $0 == "never" } } throws: {
            "\($0)".contains("last words")
        }
    }

    @Test func `SIGTERM is not blocked in a child, and kill -9 leaves no zombie`() async throws {
        let first = try await RunningProcess.start("sleep", ["1000"])
        #expect(try await first.terminate() == .signalled(15))
        let second = try await RunningProcess.start("sleep", ["1000"])
        #expect(try await second.kill9() == .signalled(9))
        #expect(second.status == .signalled(9))
        #expect(!FileContents.exists("/proc/\(second.pid)"))
        second.signal(15)
    }

    @Test func `processes that a child started are killed with it, and do not delay its exit`() async throws {
        let process = try await RunningProcess.start("sh", ["-c", "sleep 1000 & echo $!; exec cat"])
        let grandchild = try #require(try await process.nextLine().flatMap { Int32($0) })
        await process.end()
        #expect(!ProcessStatus(pid: grandchild).isRunning)
        let leaving = try await RunningProcess.start("sh", ["-c", "sleep 1000 & echo $!"])
        #expect(try await leaving.wait() == .success)
        let left = try #require(try await leaving.nextLine().flatMap { Int32($0) })
        #expect(ProcessStatus(pid: left).isRunning)
        await leaving.end()
        #expect(!ProcessStatus(pid: left).isRunning)
    }

    @Test func `a scope keeps its children and stops them`() async throws {
        let pid = try await withProcessScope {
            let pid = try await RunningProcess.start("sleep", ["1000"]).pid
            for _ in 0..<100 { await Task.yield() }
            #expect(ProcessStatus(pid: pid).isRunning)
            return pid
        }
        #expect(!ProcessStatus(pid: pid).isRunning)
    }

    @Test func `a process that blocks a signal has not handled it`() async throws {
        let process = try await RunningProcess.start("env", ["--block-signal=TERM", "sh", "-c", "echo ready; cat"])
        _ = try await process.nextLine()
        try await withDeadline("sleep") {
            while !process.statistics.hasHandledSignals { try await Task.sleep(for: .milliseconds(1)) }
        }
        process.signal(SIGTERM)
        #expect(!process.statistics.hasHandledSignals)
        process.closeInput()
        try await process.wait()
        #expect(process.statistics.hasHandledSignals)
    }

    @Test func `statistics of a process are read`() async throws {
        let process = try await RunningProcess.start("cat")
        process.write("x\n")
        _ = try await process.nextLine()
        #expect(try process.statistics.openDescriptors == 3)
        #expect(try process.statistics.residentAnonymousBytes > 50_000)
        #expect(try process.statistics.residentBytes >= process.statistics.residentAnonymousBytes)
        #expect(try process.statistics.mappedFiles.contains { $0.contains("libc.so") })
        await process.end()
        #expect(throws: (any Error).self) { try process.statistics.residentBytes }
    }
}
