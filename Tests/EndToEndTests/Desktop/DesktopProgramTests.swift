import IPCDBus
import IPCInterface
import IPCTesting
import Testing

/// How the broker runs `ipc-desktop-open`, which these tests replace with a script.
@Suite(.privateBus)
struct DesktopProgramTests {
    /// A broker in its own folder, next to a program that is a shell script.
    private func start(_ script: String, _ arguments: [String] = [], wrapper: String? = nil) async throws
        -> DesktopScene
    {
        let bus = try PrivateBus.current
        let folder = try bus.directory.makeDirectory("libexec")
        try await RunningProcess.run("cp", [try Binaries.path("ipc-broker"), "\(folder)/ipc-broker"]).succeeded()
        try FileContents.write("#!/bin/sh\n" + script, to: "\(folder)/ipc-desktop-open", isProgram: true)
        var executable = "\(folder)/ipc-broker"
        if let wrapper {
            executable = "\(folder)/wrapper"
            try FileContents.write("#!/bin/sh\n\(wrapper)\n", to: executable, isProgram: true)
        }
        return try await DesktopScene.start(arguments, executable: executable)
    }

    private static let log = #""$IPC_TEST_BUS_DIRECTORY/desktop.log""#

    /// The script logs its arguments and its input, so a URL or token in the arguments would be found in the log.
    @Test func `no argument contains the URL or the token`() async throws {
        let scene = try await start(
            #"""
            echo "args $*" >> \#(Self.log)
            tr '\0' '|' | sed 's/^/input /; s/$/\n/' >> \#(Self.log)
            test "$1" = launch || echo entry=some.desktop
            """#)
        let opened = try await Tools.client(["open", "--", "desk.example:secret"])
        #expect(opened.status == .success, "\(opened)")
        let lines = try FileContents.text(scene.bus.directory.appending("desktop.log")).split(separator: "\n")
        #expect(
            lines == [
                "args find", "input |desk.example:secret", "args launch some.desktop", "input |desk.example:secret",
            ])
    }

    @Test @DBusActor func `the URLs of one sender are opened in order, one at a time`() async throws {
        let scene = try await start(
            #"""
            url=$(tr '\0' '\n' | tail -n 1)
            test "$1" = launch || { echo entry=some.desktop; exit; }
            echo "begin $url" >> \#(Self.log)
            echo "end $url" >> \#(Self.log)
            """#)
        let client = try await BrokerClient()
        let (ends, end) = AsyncStream<String?>.makeStream()
        for number in 0..<8 {
            client.connection.call(
                URLs1.openURL, on: Broker1.busName, at: Broker1.path, ("desk.example:\(number)", OpenURLOptions())
            ) { end.yield((try? $0.get())?.outcome) }
        }
        var outcomes: [String?] = []
        for await outcome in ends {
            outcomes.append(outcome)
            if outcomes.count == 8 { break }
        }
        #expect(outcomes == Array(repeating: "delivered", count: 8))
        let lines = try FileContents.text(scene.bus.directory.appending("desktop.log")).split(separator: "\n")
        #expect(lines.map(String.init) == (0..<8).flatMap { ["begin desk.example:\($0)", "end desk.example:\($0)"] })
    }

    @Test func `a program that hangs is killed at its time-out`() async throws {
        let scene = try await start(
            """
            echo "$$" >> \(Self.log)
            exec sleep 1000
            """, ["--limit", "desktop-milliseconds=200"])
        #expect(try await Tools.client(["open", "--", "desk.example:x"]).status == .exited(68))
        let pid = try #require(try await scene.log.nextLine().flatMap { Int32($0) })
        #expect(ProcessStatus(pid: pid).command == nil)
        // The control: a process that is running does have a command name.
        #expect(ProcessStatus(pid: scene.broker.pid).command == "ipc-broker")
    }

    @Test(arguments: [(1, true), (2, true), (64, false)])
    func `programs run in parallel up to the limit`(most: Int, isBound: Bool) async throws {
        let scene = try await start(
            """
            live="$IPC_TEST_BUS_DIRECTORY/live"
            mkdir -p "$live"
            touch "$live/$$"
            ls "$live" | wc -l >> \(Self.log)
            sleep 0.3
            rm "$live/$$"
            exit 68
            """, ["--limit", "desktop-questions=\(most)"])
        try await withThrowingTaskGroup(of: IPCTesting.ExitStatus.self) { group in
            for number in 0..<6 {
                group.addTask { try await Tools.client(["open", "--", "desk.example:\(number)"]).status }
            }
            for try await status in group { #expect(status == .exited(68)) }
        }
        let counts = try FileContents.text(scene.bus.directory.appending("desktop.log")).split(separator: "\n")
            .compactMap { Int($0.filter { !$0.isWhitespace }) }
        #expect(counts.count == 6)
        // The control: with a high limit, the programs run at the same time.
        #expect(isBound ? counts.allSatisfy { $0 <= most } : counts.contains { $0 > 2 }, "\(counts)")
    }

    @Test func `a caller beyond the limit is told to try again`() async throws {
        _ = try await start(
            "exec sleep 1000",
            [
                "--limit", "desktop-milliseconds=500", "--limit", "desktop-questions=1", "--limit",
                "desktop-questions-waiting=0",
            ])
        let statuses = try await withThrowingTaskGroup(of: IPCTesting.ExitStatus.self) { group in
            for number in 0..<3 {
                group.addTask { try await Tools.client(["scheme", "resolve", "desk.example:\(number)"]).status }
            }
            return try await group.reduce(into: [IPCTesting.ExitStatus]()) { $0.append($1) }
        }
        #expect(statuses.contains(.exited(75)) && statuses.contains(.success), "\(statuses)")
    }

    @Test func `under systemd, the user's service manager starts the programs`() async throws {
        let bus = try PrivateBus.current
        let tools = try bus.directory.makeDirectory("tools")
        try FileContents.write(
            #"""
            #!/bin/sh
            echo "systemd-run $*" >> \#(Self.log)
            while [ "$1" != -- ]; do shift; done
            shift
            exec "$@"
            """#, to: "\(tools)/systemd-run", isProgram: true)
        let folder = bus.directory.appending("libexec")
        let scene = try await start(
            """
            cat > /dev/null
            test "$1" = launch || echo entry=some.desktop
            """, wrapper: "SYSTEMD_EXEC_PID=$$ PATH=\(tools):$PATH exec \(folder)/ipc-broker \"$@\"")
        #expect(try await Tools.client(["open", "--", "desk.example:x"]).status == .success)
        let line = try #require(try await scene.log.nextLine())
        #expect(
            line.hasPrefix("systemd-run --user ")
                && line.hasSuffix(" -- \(folder)/ipc-desktop-open launch some.desktop"))
    }
}
