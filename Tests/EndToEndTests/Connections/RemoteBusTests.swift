import Glibc
import IPCTesting
import Testing

/// The tools on a bus that only libdbus can reach, as docs/connections.md describes.
@Suite(.privateBus)
struct RemoteBusTests {
    private let bus: PrivateBus

    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")

    init() throws { bus = try PrivateBus.current }

    private func environment(_ address: String, _ more: [String: String] = [:]) -> [String: String] {
        bus.environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }.merging(more) { $1 }
    }

    @Test(arguments: [true, false])
    func `a text arrives through a program that replaces ssh`(throughPipes: Bool) async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--count", "1"])
        let sent = try await Tools.client(
            ["send", "hello"], environment: environment(BridgeAddress.of(bus.address, throughPipes: throughPipes)))
        #expect(sent.status == .success, "\(sent)")
        #expect(try await server.nextLine() == "hello")
        withExtendedLifetime(broker) {}
    }

    @Test func `a handler is reached through a program that replaces ssh`() async throws {
        let broker = try await BrokerProcess.start()
        let remote = environment(BridgeAddress.of(bus.address, throughPipes: true))
        let server = try await Tools.server(["--count", "1"], environment: remote)
        let text = String(repeating: "a", count: 1 << 20)
        let sent = try await Tools.client(["send"], input: .text(text))
        #expect(sent.status == .success, "\(sent)")
        #expect(try await server.nextLine() == text)
        withExtendedLifetime(broker) {}
    }

    @Test func `without descriptors, large values travel inline or are rejected`() async throws {
        let broker = try await BrokerProcess.start()
        let remote = environment(BridgeAddress.of(bus.address, throughPipes: true))
        let fits = String(repeating: "a", count: 1 << 20)
        let set = try await Tools.client(["set", "remote"], environment: remote, input: .text(fits))
        #expect(set.status == .success, "\(set)")
        #expect(try await Tools.client(["get", "remote"], environment: remote).output == fits)
        #expect(try await Tools.client(["get", "remote"]).output == fits)
        let tooLong = String(repeating: "b", count: 17 << 20)
        let refused = try await Tools.client(["set", "remote"], environment: remote, input: .text(tooLong))
        #expect(refused.status == .exited(65), "\(refused.errors)")
        #expect(refused.errors.contains("cannot pass file descriptors"), "\(refused.errors)")
        // The control: a local client can write the same value, because it can pass a descriptor. A remote client
        // cannot read the value.
        #expect(try await Tools.client(["set", "remote"], input: .text(tooLong)).status == .success)
        let unread = try await Tools.client(["get", "remote"], environment: remote)
        #expect(unread.status != .success && !unread.errors.isEmpty && unread.output.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func `the documented command sends over ssh`() async throws {
        let document = try FileContents.text("\(Self.root)/docs/connections.md")
        let line = try #require(document.split(separator: "\n").first { $0.hasPrefix("DBUS_SESSION_BUS_ADDRESS='") })
        let address = String(line.split(separator: "'")[1])
        #expect(address.contains("path=ssh"))
        // A fake ssh passes the command to a local shell, through pipes.
        let folder = try bus.directory.makeDirectory("remote")
        try FileContents.write(
            "#!/bin/sh\n[ \"$1 $2\" = '-xT HOST' ] || exit 64\nshift 2\ncat | sh -c \"$*\" | cat\n", to: "\(folder)/ssh"
        )
        chmod("\(folder)/ssh", 0o755)
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--count", "1"])
        let path = "\(folder):\(bus.environment["PATH"] ?? "/usr/bin:/bin")"
        let sent = try await Tools.client(["send", "hello"], environment: environment(address, ["PATH": path]))
        #expect(sent.status == .success, "\(sent)")
        #expect(try await server.nextLine() == "hello")
        withExtendedLifetime(broker) {}
    }

    @Test func `autolaunch uses the bus that dbus-launch names`() async throws {
        let broker = try await BrokerProcess.start()
        // A fake dbus-launch writes what libdbus expects: an address, a process ID and a window ID.
        let folder = try bus.directory.makeDirectory("launcher")
        try FileContents.write(
            "#!/bin/sh\nprintf '%s\\000' '\(bus.address)'\nhead -c 12 /dev/zero\n", to: "\(folder)/dbus-launch")
        chmod("\(folder)/dbus-launch", 0o755)
        let path = "\(folder):\(bus.environment["PATH"] ?? "/usr/bin:/bin")"
        let found = try await Tools.client(
            ["broker", "status"], environment: environment("autolaunch:", ["PATH": path, "DISPLAY": ":99"]))
        #expect(found.status == .success, "\(found)")
        let none = try await Tools.client(["broker", "status"], environment: environment("autolaunch:"))
        #expect(none.status == .exited(69) && none.errors.contains("autolaunch:"), "\(none)")
        withExtendedLifetime(broker) {}
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a program away"))
    func `a setuid program ignores the address`() async throws {
        let tool = bus.directory.appending("ipc-client")
        _ = try await RunningProcess.run("cp", [try Binaries.path("ipc-client"), tool]).succeeded()
        chmod(bus.directory.path, 0o755)
        let mark = bus.directory.appending("mark")
        let address = environment("unixexec:path=touch,argv1=\(mark)")
        for (user, isSecure) in [("nobody", true), ("root", false)] {
            _ = try await RunningProcess.run("chown", [user, tool]).succeeded()
            chmod(tool, 0o4755)
            let status = try await RunningProcess.run(tool, ["broker", "status"], environment: address)
            #expect(status.status == .exited(69), "\(status)")
            #expect(status.errors.contains("DBUS_SESSION_BUS_ADDRESS is not set") == isSecure, "\(status)")
            #expect(FileContents.exists(mark) != isSecure)
        }
    }
}
