import IPCTesting
import Testing

/// `ipc-client setup` on a bus that does not know the programs.
@Suite(.privateBus)
struct SetupTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")

    @Test(arguments: [true, false])
    func undoRestoresTheHome(isFurnished: Bool) async throws {
        let bus = try PrivateBus.current
        if isFurnished { try FurnishedHome.furnish(bus) }
        // The user already has a file with a name that `setup` would use.
        if isFurnished { try FileContents.write("mine\n", to: "\(bus.serviceDirectory)/demo.IPCServer.service") }
        let before = HomeSnapshot(bus)
        let first = try await Tools.client(["setup"]).succeeded()
        let between = HomeSnapshot(bus)
        #expect(first.lines.count == 3 && first.errors.isEmpty, "\(first)")
        #expect(between != before)
        let second = try await Tools.client(["setup"]).succeeded()
        #expect(second.output.isEmpty && HomeSnapshot(bus) == between)
        let undone = try await Tools.client(["setup", "--undo", "--json"]).succeeded()
        #expect(undone.output.contains(isFurnished ? #""change":"changed""# : #""change":"removed""#))
        #expect(HomeSnapshot(bus) == before)
        #expect(try await Tools.client(["setup", "--undo"]).succeeded().output.isEmpty)
        #expect(HomeSnapshot(bus) == before)
    }

    @Test func theBusStartsEverythingAfterSetup() async throws {
        let bus = try PrivateBus.current
        let store = { (path: String) in path.hasPrefix("data/swift-ipc") || path.hasPrefix("run/swift-ipc") }
        let before = HomeSnapshot(bus, but: store)
        #expect(try await Tools.client(["send", "hello"]).status == .exited(69))
        _ = try await Tools.client(["setup"]).succeeded()
        #expect(try await Tools.client(["send", "hello"]).status == .success)
        #expect(try await Tools.client(["get", "demo.IPCClient"]).output == "hello")
        // A running broker knows at once that the claim is gone.
        _ = try await Tools.client(["setup", "--undo"]).succeeded()
        #expect(HomeSnapshot(bus, but: store) == before)
        #expect(try await !Tools.client(["scheme", "list", "IPCServer.demo"]).output.contains("installed"))
    }

    /// The files are those of `make install`, with the actual paths of the programs.
    @Test func setupWritesTheFilesOfMakeInstall() async throws {
        let bus = try PrivateBus.current
        _ = try await Tools.client(["setup", "--systemd"])
        let files = [
            "dbus-1/services/org.swiftipc.Broker1.service": "org.swiftipc.Broker1.service.in",
            "dbus-1/services/demo.IPCServer.service": "demo.IPCServer.service.in",
            "swift-ipc/handlers/demo.IPCServer.handler": "demo.IPCServer.handler",
            "systemd/user/ipc-broker.service": "ipc-broker.service.in",
        ]
        for (path, template) in files {
            let wanted = try FileContents.text("\(Self.root)/dbus/\(template)")
                .replacing("@BINDIR@", with: Binaries.directory).replacing("@LIBEXECDIR@", with: Binaries.directory)
            #expect(try FileContents.text(bus.directory.appending("data/\(path)")) == wanted)
        }
        _ = try await Tools.client(["setup", "--no-systemd"])
        #expect(!FileContents.exists(bus.directory.appending("data/systemd/user/ipc-broker.service")))
    }
}
