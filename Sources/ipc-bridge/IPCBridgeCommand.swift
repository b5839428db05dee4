import ArgumentParser
import Glibc
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

@main
struct IPCBridgeCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "ipc-bridge",
        abstract: "Keep the pasteboard “general” and the desktop's clipboard in sync.",
        discussion: """
            When a program copies content, the pasteboard gets it in the types that the program offers, and keeps it \
            after the program exits. The pasteboard's content can be pasted into every program. The bridge serves one \
            display: the Wayland display (WAYLAND_DISPLAY) if its compositor has the data control protocol, otherwise \
            the X11 display (DISPLAY). When it starts, the bridge takes the content of the desktop's clipboard, if \
            there is any.

            If the compositor or X server ends, the bridge waits until a display of the same name returns, and starts \
            anew. The bridge exits with 0 on SIGTERM, SIGINT or SIGHUP, and when the display cannot return: its server \
            is on another machine, or the message bus or the folder of the display's socket is gone.

            The bridge reads the pasteboard only when a program pastes. Text is UTF-8, and is offered under all names \
            that programs use for it. The texts of several items are pasted together, and so are their URLs. If a copy \
            has a PNG, the bridge takes no other pictures from it, except drawings and animations. It leaves out types \
            without a slash in their names, and types that exceed the size limit.

            The bridge does not copy content that a password manager has marked (x-kde-passwordManagerHint). It does \
            not offer pasteboard content that is sensitive or can be read only once. With --secrets, it offers such \
            content with the same mark, and the program that pastes it consumes it.

            The bridge is optional. To start it in each session, run 'systemctl --user enable --now ipc-bridge'. If \
            systemd does not manage the session, copy share/swift-ipc/ipc-bridge.desktop to ~/.config/autostart.

            EXIT CODES
              0           a signal arrived, or the session ended
              64          wrong usage
              69          no usable display, no bus or no broker
              73          another ipc-bridge serves the display

            EXAMPLES
              ipc-bridge
              ipc-bridge --display :1 --verbose
              ipc-bridge --size-limit 256 --secrets
            """,
        version: ProductVersion.text)

    @Option(help: ArgumentHelp("The X11 display. (default: the display of the session)", valueName: "name"))
    var display: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The size limit of one copy, in MiB.", valueName: "n"))
    var sizeLimit: UInt32 = 64

    @Flag(
        help: "Also offer content that is sensitive or can be read only once. Clipboard managers are told to ignore it."
    )
    var secrets = false

    @Flag(help: "Report each transfer on standard error, without its content.")
    var verbose = false

    @OptionGroup var output: OutputOptions

    static func main() { ToolProcess.run(Self.self) }

    func validate() throws {
        guard (1...4_096).contains(sizeLimit) else { throw ValidationError("--size-limit must be from 1 to 4096.") }
    }

    @DBusActor
    func run() async throws {
        let stop = StopSignal()
        stop.listen()
        // The bridge must keep running if another program exits while the bridge is writing to it.
        signal(SIGPIPE, SIG_IGN)
        let report = BridgeReport(output: output, isVerbose: verbose)
        let clipboard = try openDisplay(display, report)
        let app = try await Application.connect(id: "org.swiftipc.Bridge")
        let bridge = Bridge(
            app, on: clipboard.display, mostBytes: Int(sizeLimit) << 20, offersSecrets: secrets, report)
        try await bridge.run(clipboard, until: stop)
        await app.close()
    }
}
