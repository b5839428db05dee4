import IPCTesting
import Testing

@Suite struct PrivateBusTests {
    @Test func `forty buses run in parallel and leave nothing behind`() async throws {
        let buses = try await withThrowingTaskGroup(of: PrivateBus.self) { group in
            for _ in 0..<40 { group.addTask { try await PrivateBus.start(.daemon) } }
            return try await group.reduce(into: [PrivateBus]()) { $0.append($1) }
        }
        #expect(Set(buses.map(\.address)).count == 40)
        await withTaskGroup(of: Void.self) { group in
            for bus in buses { group.addTask { await bus.stop() } }
        }
        #expect(buses.allSatisfy { !FileContents.exists($0.directory.path) })
    }

    @Test(.privateBus) func `a test has a bus, and its tools find it`() async throws {
        let bus = try PrivateBus.current
        let listed = try await RunningProcess.run("busctl", ["--user", "--no-pager", "list"]).succeeded()
        #expect(listed.output.contains("org.freedesktop.DBus"))
        #expect(try bus.residentBytes > 1_000_000)
        #expect(try ProcessStatus(pid: bus.pid).command == BusImplementation.current.rawValue)
    }

    @Test(.privateBus) func `a killed bus starts again at its address`() async throws {
        let bus = try PrivateBus.current
        try await bus.addService(name: "demo.Later", exec: "/bin/sleep 1000")
        let first = try bus.pid
        try await bus.kill()
        #expect(!ProcessStatus(pid: first).isRunning)
        let refused = try await RunningProcess.run("busctl", ["--user", "--no-pager", "list"])
        #expect(refused.status != .success)
        try await bus.startAgain()
        #expect(try bus.pid != first)
        let listed = try await RunningProcess.run("busctl", ["--user", "--no-pager", "list"]).succeeded()
        #expect(listed.output.contains("demo.Later"))
    }

    @Test func `programs that a bus started exit with it`() async throws {
        let bus = try await PrivateBus.start(.daemon)
        let file = bus.directory.appending("pid")
        try await bus.addService(name: "demo.Sleeper", exec: "/bin/sh -c \"echo $$ > \(file); exec setsid sleep 1000\"")
        let caller = try await RunningProcess.start(
            "dbus-send",
            [
                "--bus=\(bus.address)", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                "org.freedesktop.DBus.StartServiceByName", "string:demo.Sleeper", "uint32:0",
            ], environment: bus.environment)
        let pid = try await withDeadline("a PID in \(file)") {
            while true {
                if let text = try? FileContents.text(file), let pid = Int32(text.dropLast()) { return pid }
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(ProcessStatus(pid: pid).isRunning)
        await bus.stop()
        try await caller.wait()
        #expect(!ProcessStatus(pid: pid).isRunning)
    }
}
