import Glibc
import IPC
import IPCTesting
import Testing

/// `ipc-bridge` as a program: when it exits, and what it reports if it cannot start.
@Suite(.privateBus)
struct BridgeProcessTests {
    private func run(_ arguments: [String] = [], _ environment: [String: String]) async throws -> ProcessOutput {
        try await RunningProcess.run(try Binaries.path("ipc-bridge"), arguments, environment: environment)
    }

    /// A number that no other test's X server gets: those take the first free one.
    private static var freeName: String { ":\(Int.random(in: 10_000...60_000))" }

    @Test(arguments: Desk.allCases)
    func theBridgeServesADisplayThatReturns(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk, name: Self.freeName)
        let bridge = try await scene.bridge()
        try await scene.board.setString("offered")
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        await scene.endDisplay()
        try await bridge.errors.waitForLine(containing: "waiting for the display to return")
        // The end of the display changes no content, and other programs can still change it.
        #expect(try await scene.board.string == "offered")
        try await scene.board.setString("set in between")
        try await scene.startDisplayAgain()
        try await bridge.errors.waitForLine(containing: "in sync")
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(try await scene.paste().output == "set in between")
        try await scene.copy("copied")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await scene.board.string == "copied")
        #expect(try await bridge.terminate() == .success)
    }

    @Test(arguments: Desk.allCases)
    func aSignalStopsItWhileItWaitsForTheDisplay(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk, name: Self.freeName)
        let bridge = try await scene.bridge()
        await scene.endDisplay()
        try await bridge.errors.waitForLine(containing: "waiting for the display to return")
        #expect(try await bridge.terminate() == .success)
    }

    /// Without a bus, the session is over, and the bridge does not wait for another one.
    @Test(arguments: [true, false])
    func theBridgeExitsWhenBothDisplayAndBusHaveEnded(busEndsFirst: Bool) async throws {
        let scene = try await ClipboardScene.start(.x11, name: Self.freeName)
        let bridge = try await scene.bridge()
        try await bridge.errors.waitForLine(containing: "is not offered")
        if busEndsFirst { try await PrivateBus.current.kill() }
        await scene.endDisplay()
        try await bridge.errors.waitForLine(containing: "waiting for the display to return")
        if !busEndsFirst { try await PrivateBus.current.kill() }
        #expect(try await bridge.wait() == .success)
        #expect(bridge.errors.text.contains("the display cannot return"))
    }

    @Test(arguments: Desk.allCases, [SIGTERM, SIGINT, SIGHUP])
    func aSignalStopsItCleanly(desk: Desk, number: Int32) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge()
        bridge.signal(number)
        #expect(try await bridge.wait() == .success)
        #expect(!bridge.errors.text.contains("is closed"))
    }

    /// The bridge exits without waiting for the time-out of a program that does not answer.
    @Test func aSignalStopsItDuringAWait() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge()
        let silent = try await scene.owner(["UTF8_STRING": ClipboardScene.silence])
        #expect(try await silent.nextLine() == "asked TARGETS")
        #expect(try await silent.nextLine() == "asked UTF8_STRING")
        #expect(try await bridge.terminate(deadline: .seconds(8)) == .success)
    }

    /// A new copy is stored without waiting for the time-out of an earlier program that does not answer.
    @Test func anotherCopyEndsTheWait() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge()
        let silent = try await scene.owner(["UTF8_STRING": ClipboardScene.silence])
        #expect(try await silent.nextLine() == "asked TARGETS")
        #expect(try await silent.nextLine() == "asked UTF8_STRING")
        try await scene.copy("spoken")
        try await bridge.errors.waitForLine(containing: "stored a version with change count", deadline: .seconds(8))
        #expect(try await scene.board.string == "spoken")
        #expect(try await bridge.terminate() == .success)
    }

    @Test func aMissingDisplayIsReported() async throws {
        let scene = try await ClipboardScene.start()
        var environment = scene.environment
        environment["DISPLAY"] = nil
        let none = try await run([], environment)
        #expect(none.status == .exited(69) && none.output.isEmpty)
        #expect(
            none.errors == "ipc-bridge: there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set; "
                + "start ipc-bridge in a desktop session\n")
        for (name, value) in [("DISPLAY", ":4711"), ("WAYLAND_DISPLAY", "wayland-4711")] {
            let wrong = try await run([], environment.merging([name: value]) { $1 })
            #expect(wrong.status == .exited(69), "\(wrong)")
            #expect(wrong.errors.contains("display \(value) cannot be used"), "\(wrong)")
        }
        let json = try await run(["--json"], environment)
        #expect(try JSONText.string("error", in: json.errors) == "NoDisplay")
    }

    @Test func aMissingBrokerOrBusIsReported() async throws {
        let scene = try await ClipboardScene.start()
        try await scene.broker.terminate()
        let alone = try await run([], scene.environment)
        #expect(alone.status == .exited(69) && alone.errors.hasPrefix("ipc-bridge: "), "\(alone)")
        let lost = try await run(
            [], scene.environment.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"]) { $1 })
        #expect(lost.status == .exited(69) && lost.errors.contains("there is no session bus"), "\(lost)")
    }

    @Test(arguments: Desk.allCases)
    func oneServesADisplay(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge()
        let second = try await run([], scene.environment)
        #expect(second.status == .exited(73) && second.errors.contains("another ipc-bridge"), "\(second)")
        #expect(try await bridge.terminate() == .success)
        // The control: once the first bridge has stopped, another one can serve the display.
        let next = try await scene.bridge()
        #expect(try await next.terminate() == .success)
    }

    @Test(arguments: [["--size-limit", "0"], ["--size-limit", "x"], ["--telepathy"], ["word"]])
    func aWrongCommandLineIsRefused(arguments: [String]) async throws {
        #expect(try await run(arguments, try PrivateBus.current.environment).status == .exited(64))
    }
}
