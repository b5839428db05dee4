import Glibc
import IPCTesting

/// A Wayland compositor without a screen, for one test; sway(1) with wlroots' headless backend.
struct HeadlessCompositor {
    /// The environment for programs on it.
    let environment: [String: String]
    private let compositor: RunningProcess

    /// Starts the compositor; returns when it accepts connections.
    static func start() async throws -> HeadlessCompositor {
        let bus = try PrivateBus.current
        let configuration = bus.directory.appending("sway.conf")
        try FileContents.write(
            "xwayland disable\nexec sh -c 'echo $WAYLAND_DISPLAY; exec 1>&-'\n", to: configuration)
        // sway does not run as root; a user namespace maps root to another user.
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
