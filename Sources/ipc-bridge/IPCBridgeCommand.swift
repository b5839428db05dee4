import ArgumentParser
import Glibc
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// The pasteboard `general` and the desktop's clipboard.
@main
struct IPCBridgeCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "ipc-bridge",
        abstract: "Keep the pasteboard “general” and the desktop's clipboard in step.",
        discussion: """
            What a program copies is on the pasteboard, in all its types, and outlives the program; what is put on the \
            pasteboard can be pasted. It serves one display: that of Wayland where the compositor has the data control \
            protocol (WAYLAND_DISPLAY), or else that of X11 (DISPLAY). It begins with what the desktop has, or with the \
            pasteboard where that is nothing, and ends with 0 when the display ends, and at SIGTERM, SIGINT or SIGHUP.

            Content of the pasteboard is read when somebody pastes it. Text is UTF-8 and goes by all names that programs \
            have for it; texts and URLs of several items go together. Of pictures beside a PNG only drawings and \
            animations are taken.

            A copy that a password manager marks (x-kde-passwordManagerHint) is not taken. What is secret on the \
            pasteboard, or for one reader, is not offered; with --secrets it is, with the same mark, and who pastes it \
            consumes it.

            Nothing needs it. To have it in each session, where systemd runs that: systemctl --user enable --now ipc-bridge; \
            elsewhere copy share/swift-ipc/ipc-bridge.desktop to ~/.config/autostart.

            EXIT CODES
              0           the display has ended, or a signal came
              64          the command line means nothing
              69          no display, no bus or no broker
              73          another ipc-bridge serves the display

            EXAMPLES
              ipc-bridge
              ipc-bridge --display :1 --verbose
              ipc-bridge --size-limit 256 --secrets
            """,
        version: ProductVersion.text)

    @Option(help: ArgumentHelp("The X11 display. (default: that of the session)", valueName: "name"))
    var display: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The most that is taken of one copy, in MiB.", valueName: "n"))
    var sizeLimit: UInt32 = 64

    @Flag(help: "Offer what is secret or for one reader too, marked for clipboard managers.")
    var secrets = false

    @Flag(help: "Tell what is handed over on standard error, without content.")
    var verbose = false

    @OptionGroup var output: OutputOptions

    static func main() { ToolProcess.run(Self.self) }

    func validate() throws {
        guard (1...4_096).contains(sizeLimit) else { throw ValidationError("--size-limit is 1 to 4096.") }
    }

    @DBusActor
    func run() async throws {
        let stop = StopSignal()
        stop.listen()
        // A program that ends while this one writes to it does not end this one.
        signal(SIGPIPE, SIG_IGN)
        let report = BridgeReport(output: output, isVerbose: verbose)
        let clipboard = try openClipboard(display, report)
        let app = try await Application.connect(id: "org.swiftipc.Bridge")
        let start = try await app.changeCount()
        let board = app.generalPasteboard
        let feed = ChangeFeed(app, of: [board.name], since: start) { error in
            report.warn(IPCError(error.code, "\(error.message); waiting for it"))
        }
        let bridge = Bridge(
            board, clipboard, mostBytes: Int(sizeLimit) << 20, offersSecrets: secrets, report)
        try await bridge.run(feed, until: stop)
        await app.close()
    }
}
