import Glibc
import IPCTesting

/// A Wayland compositor without a screen, of a test's own; sway(1) with wlroots' headless backend.
struct HeadlessCompositor {
    /// What programs on it find in their environment.
    let environment: [String: String]
    private let compositor: RunningProcess

    /// Returns when it takes connections.
    static func start() async throws -> HeadlessCompositor {
        let bus = try PrivateBus.current
        let configuration = bus.directory.appending("sway.conf")
        try FileContents.write(
            "xwayland disable\nexec sh -c 'echo $WAYLAND_DISPLAY; exec 1>&-'\n", to: configuration)
        // It does not run as root; in a user namespace root is somebody else.
        let words = getuid() == 0 ? ["unshare", "--user", "--map-user=1000", "--map-group=1000", "sway"] : ["sway"]
        let compositor = try await RunningProcess.start(
            words[0], words.dropFirst() + ["-c", configuration],
            environment: bus.environment.merging([
                "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
            ]) { $1 }, input: .none)
        guard let display = try await compositor.nextLine() else {
            throw HarnessError("sway ended: \(compositor.errors.text)")
        }
        return HeadlessCompositor(environment: ["WAYLAND_DISPLAY": display], compositor: compositor)
    }

    func end() async { await compositor.end() }
}
