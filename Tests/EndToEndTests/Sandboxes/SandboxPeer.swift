import Glibc
import IPCTesting
import Testing

/// A caller with a different root directory, like a program in a Flatpak: it connects, then changes its root.
struct SandboxPeer: Sendable {
    private let program: PythonPeer
    private let root: TemporaryDirectory

    /// Whether the test may change its root directory: only root may.
    static var isPossible: Bool { geteuid() == 0 }

    /// - Parameters:
    ///   - info: the content of `.flatpak-info`; `nil` for a root directory without it.
    ///   - connected: if given, the process that connected leaves its connection to another process in the sandbox.
    ///     This is called then, before a process outside of the sandbox gets the number.
    static func start(info: String?, connected: (() async throws -> Void)? = nil) async throws -> SandboxPeer {
        let root = try TemporaryDirectory("root")
        if let info { try FileContents.write(info, to: root.appending(".flatpak-info")) }
        let program = try await PythonPeer.start(script, arguments: [root.path] + (connected == nil ? [] : ["reused"]))
        let peer = SandboxPeer(program: program, root: root)
        if let connected {
            try await program.waitForLine("connected")
            try await connected()
            #expect(try await program.ask("go") == "ready")
        } else {
            try await program.waitForLine("ready")
        }
        return peer
    }

    /// Starts a caller like one in a Flatpak.
    static func start(flatpak id: String) async throws -> SandboxPeer {
        try await start(info: "[Application]\nname=\(id)\nruntime=runtime/org.example.Platform/x86_64/1\n")
    }

    /// Evaluates a Python expression, in which `boards` and `board(name)` are the broker's objects.
    /// - Returns: Python's representation of the value, or the name of the error.
    func ask(_ expression: String) async throws -> String { try await program.ask(expression) }

    private static let script = #"""
        import json, os, signal, sys, time
        import dbus, dbus.bus, dbus.lowlevel

        def ticks():
            return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))

        def reuse(number, reused):
            "Gives the number of a process that ends to a process outside of the sandbox, and waits for all of them."
            os.waitpid(number, 0)
            print("connected", flush=True)
            sys.stdin.readline()
            # The kernel gives the start of processes in ticks.
            now = ticks()
            while ticks() == now:
                pass
            lives, stays = os.pipe()
            while True:
                with open("/proc/sys/kernel/ns_last_pid", "w") as last:
                    last.write(str(number - 1))
                child = os.fork()
                if child == 0:
                    os.close(stays)
                    if os.getpid() == number:
                        os.read(lives, 1)
                    os._exit(0)
                if child == number:
                    break
                os.waitpid(child, 0)
            os.write(reused, b"x")
            signal.pause()

        is_reused, reused = os.pipe()
        if len(sys.argv) > 2 and (number := os.fork()):
            reuse(number, reused)
        os.close(reused)
        bus = dbus.bus.BusConnection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
        name, path = "org.swiftipc.Broker1", "/org/swiftipc/Broker1"
        os.chroot(sys.argv[1])
        os.chdir("/")
        if len(sys.argv) > 2:
            if os.fork():
                os._exit(0)
            os.read(is_reused, 1)

        def escaped(text):
            return "".join(chr(b) if chr(b).isalnum() and b < 128 else "_%02x" % b for b in text.encode())

        def interface(path, which):
            return dbus.Interface(bus.get_object(name, path, introspect=False), "org.swiftipc." + which)

        broker, boards, urls, simple, schemes = (
            interface(path, which) for which in ["Broker1", "Pasteboards1", "URLs1", "Simple1", "Schemes1"])
        none = dbus.Dictionary({}, signature="sv")

        def board(text, which="Pasteboard1"):
            return interface(path + "/pasteboards/" + escaped(text), which)

        def get(text, key):
            properties = dbus.Interface(
                bus.get_object(name, path + "/pasteboards/" + escaped(text), introspect=False),
                "org.freedesktop.DBus.Properties")
            return properties.Get("org.swiftipc.Pasteboard1", key)

        def children():
            parent = bus.get_object(name, path + "/pasteboards", introspect=False)
            text = dbus.Interface(parent, "org.freedesktop.DBus.Introspectable").Introspect()
            return [line.split('"')[1] for line in text.splitlines() if line.strip().startswith("<node name=")]

        def options(**keys):
            return dbus.Dictionary({key.replace("_", "-"): value for key, value in keys.items()}, signature="sv")

        def items(text):
            return dbus.Array([dbus.Array([dbus.Struct(("text/plain", text))], signature="(sv)")], signature="a(sv)")

        def create(text):
            return str(boards.GetPasteboard(text, options(create=True)))

        def write(text, content, **keys):
            return int(board(text).SetItems(items(content), options(**keys))) > 0

        def read(text):
            return [[str(value) for _, value in item] for item in board(text).GetItems(none)[1]]

        def source(text):
            facts = board(text).GetItems(none)[2]
            return str(facts["source-application"]) + " " + str(facts["source-strength"])

        def listed():
            return [str(row[0]) for row in boards.ListPasteboards(none)]

        def managed():
            parent = bus.get_object(name, path + "/pasteboards", introspect=False)
            objects = dbus.Interface(parent, "org.freedesktop.DBus.ObjectManager").GetManagedObjects()
            return sorted(str(interfaces["org.swiftipc.Pasteboard1"]["Name"]) for interfaces in objects.values())

        def watch(names, since, timeout=0):
            count, changed, facts = boards.WaitForChange(
                dbus.Array(names, signature="s"), dbus.UInt64(since), options(timeout=dbus.UInt32(timeout)))
            return sorted(str(row[0]) for row in changed)

        def opened(**keys):
            result = urls.OpenURL("handler.demo:x", options(**keys))
            return str(result["outcome"])

        print("ready")
        for line in sys.stdin:
            try:
                print(repr(eval(line)))
            except dbus.DBusException as error:
                print(error.get_dbus_name())

        """#
}
