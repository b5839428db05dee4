import IPC
import IPCDBus
import IPCTesting
import Testing

/// A display of either kind, with programs on it for copying and pasting.
enum Desk: CaseIterable, Sendable {
    /// Xvfb and xclip(1).
    case x11
    /// sway(1) and wl-clipboard.
    case wayland
}

/// A broker, a display and a bridge between them, on the test's bus.
struct ClipboardScene: Sendable {
    let desk: Desk
    let broker: BrokerProcess
    let app: Application
    let environment: [String: String]
    /// Stops the display.
    let endDisplay: @Sendable () async -> Void

    /// - Parameter name: the name of the X11 display; by default, the first free one.
    static func start(_ desk: Desk = .x11, name: String? = nil) async throws -> ClipboardScene {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        let app = try await Application.connect(id: "org.example.Clipboard", bus: .address(bus.address))
        var environment = bus.environment
        (environment["DISPLAY"], environment["WAYLAND_DISPLAY"]) = (nil, nil)
        switch desk {
        case .x11:
            let display = try await VirtualDisplay.start(name)
            environment["DISPLAY"] = display.name
            return ClipboardScene(
                desk: desk, broker: broker, app: app, environment: environment, endDisplay: { await display.end() })
        case .wayland:
            let display = try await HeadlessCompositor.start()
            environment.merge(display.environment) { $1 }
            return ClipboardScene(
                desk: desk, broker: broker, app: app, environment: environment, endDisplay: { await display.end() })
        }
    }

    /// Starts a display of the same name, after `endDisplay`.
    func startDisplayAgain() async throws {
        switch desk {
        case .x11: _ = try await VirtualDisplay.start(environment["DISPLAY"])
        case .wayland:
            let display = try await HeadlessCompositor.start()
            #expect(display.environment["WAYLAND_DISPLAY"] == environment["WAYLAND_DISPLAY"])
        }
    }

    var board: Pasteboard { app.generalPasteboard }

    /// Starts a bridge that reports when it is ready and everything that it does.
    func bridge(_ arguments: [String] = []) async throws -> RunningProcess {
        let bridge = try await RunningProcess.start(
            try Binaries.path("ipc-bridge"), ["--verbose"] + arguments, environment: environment, input: .none)
        try await bridge.errors.waitForLine(containing: "in sync")
        return bridge
    }

    /// Starts a program that copies something and keeps it until another program copies. Nothing reports whether the
    /// copy succeeds.
    @discardableResult
    func copy(_ bytes: [UInt8], as target: String = "UTF8_STRING") async throws -> RunningProcess {
        switch desk {
        case .x11:
            try await RunningProcess.start(
                "xclip", ["-quiet", "-selection", "clipboard", "-t", target, "-i"], environment: environment,
                input: .bytes(bytes))
        case .wayland:
            try await RunningProcess.start(
                "wl-copy", ["--foreground", "--type", target == "UTF8_STRING" ? "text/plain" : target],
                environment: environment, input: .bytes(bytes))
        }
    }

    @discardableResult
    func copy(_ text: String) async throws -> RunningProcess { try await copy(Array(text.utf8)) }

    /// The content that a pasting program gets.
    func paste(_ target: String = "UTF8_STRING") async throws -> ProcessOutput {
        switch desk {
        case .x11:
            try await RunningProcess.run(
                "xclip", ["-selection", "clipboard", "-t", target, "-o"], environment: environment)
        case .wayland:
            try await RunningProcess.run(
                "wl-paste", ["--no-newline", "--type", target], environment: environment)
        }
    }

    /// The targets that a program can paste.
    func targets() async throws -> [String] {
        switch desk {
        case .x11: try await paste("TARGETS").lines
        case .wayland:
            try await RunningProcess.run("wl-paste", ["--list-types"], environment: environment).lines
        }
    }

    /// Starts a program that offers several targets at once and reports each request.
    /// - Parameter contents: the targets; content that begins with `@` is a file.
    func owner(_ contents: KeyValuePairs<String, String>) async throws -> PythonPeer {
        let owner = try await PythonPeer.start(
            Self.owner, arguments: contents.flatMap { [$0.key, $0.value] }, environment: environment)
        #expect(try await owner.nextLine() == "owns")
        return owner
    }

    /// Content that is offered and never delivered.
    static let silence = "!"

    /// Bytes that start like a PNG and have no repetition.
    static func picture(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(count))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + (8..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    }

    private static let owner = #"""
        import os, sys
        from Xlib import X, Xatom, display
        from Xlib.protocol import event

        d = display.Display()
        window = d.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        words = [os.fsencode(word) for word in sys.argv[1:]]
        contents = {}
        for target, content in zip(words[::2], words[1::2]):
            contents[target.decode()] = open(content[1:], "rb").read() if content[:1] == b"@" else content
        window.set_selection_owner(d.intern_atom("CLIPBOARD"), X.CurrentTime)
        d.sync()
        print("owns", flush=True)
        while True:
            e = d.next_event()
            if e.type == X.SelectionClear:
                print("lost", flush=True)
            if e.type != X.SelectionRequest:
                continue
            name, place = d.get_atom_name(e.target), e.property
            print("asked", name, flush=True)
            if name == "TARGETS":
                atoms = [d.intern_atom(n) for n in ["TARGETS", *contents]]
                e.requestor.change_property(place, Xatom.ATOM, 32, atoms)
            elif contents.get(name) == b"!":
                continue
            elif name in contents:
                e.requestor.change_property(place, e.target, 8, contents[name])
            else:
                place = X.NONE
            e.requestor.send_event(event.SelectionNotify(
                time=e.time, requestor=e.requestor, selection=e.selection, target=e.target, property=place))
        """#
}
