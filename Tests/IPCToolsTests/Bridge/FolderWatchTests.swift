import IPCTesting
import Testing

@testable import ipc_bridge

/// How the bridge notices that a display's socket has returned.
@Suite struct FolderWatchTests {
    @Test func `an entry that is created is reported, and so is one that gets the name`() async throws {
        let directory = try TemporaryDirectory("watch")
        let watch = try #require(await FolderWatch(for: directory.appending("wayland-1")))
        try FileContents.write("", to: directory.appending("wayland-1.lock"))
        try FileContents.write("", to: directory.appending("wayland-1"))
        #expect(await watch.arrival())
        _ = try await RunningProcess.run(
            "mv", [directory.appending("wayland-1.lock"), directory.appending("wayland-1")]
        ).succeeded()
        #expect(await watch.arrival())
        directory.remove()
        #expect(await !watch.arrival())
    }

    @Test func `other entries are not reported`() async throws {
        let directory = try TemporaryDirectory("watch")
        let watch = try #require(await FolderWatch(for: directory.appending("X1")))
        try FileContents.write("", to: directory.appending("X10"))
        directory.remove()
        #expect(await !watch.arrival())
    }

    @Test func `a folder that does not exist cannot be watched`() async throws {
        #expect(await FolderWatch(for: "/nonexistent/X1") == nil)
    }

    @Test(arguments: [
        (":0", "/tmp/.X11-unix/X0"), (":10.1", "/tmp/.X11-unix/X10"), ("unix:3", "/tmp/.X11-unix/X3"),
        ("localhost:10.0", nil), ("host:0", nil),
    ])
    func `only an X server on this machine has a socket`(name: String, socket: String?) {
        #expect(Display.x11(name).socket == socket)
        #expect(Display.wayland("/run/sway").socket == "/run/sway")
    }
}
