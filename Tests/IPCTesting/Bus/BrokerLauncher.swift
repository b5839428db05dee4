/// The environment that dbus-broker's launcher needs where systemd is not running: a user manager of its own, the
/// journal's socket, and a `/run/systemd` that pretends that systemd is running. All of it is in a mount namespace.
enum BrokerLauncher {
    /// Prints `ready` when the bus is running; messages for the journal go to standard error.
    static let script = """
        import os, socket, subprocess, sys, threading

        subprocess.check_call(["mount", "-t", "tmpfs", "none", "/run/systemd"])
        os.makedirs("/run/systemd/system")
        os.makedirs("/run/systemd/journal")
        journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        journal.bind("/run/systemd/journal/socket")

        def forward():
            while entry := journal.recv(65536):
                for line in entry.split(b"\\n"):
                    if line.startswith(b"MESSAGE="):
                        sys.stderr.write(line[8:].decode("utf-8", "replace") + "\\n")

        forwarding = threading.Thread(target=forward, daemon=True)
        forwarding.start()
        path = os.environ["XDG_RUNTIME_DIR"] + "/ready"
        if os.path.exists(path):
            os.unlink(path)
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(path)
        manager = subprocess.Popen(
            ["/lib/systemd/systemd", "--user", "--unit=private-bus.target"],
            env=dict(os.environ, NOTIFY_SOCKET=path))

        def wait():
            while b"READY=1" not in notify.recv(65536):
                pass
            print("ready", flush=True)

        threading.Thread(target=wait, daemon=True).start()
        status = manager.wait()
        # An empty datagram is the end of the journal.
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"", "/run/systemd/journal/socket")
        forwarding.join()
        print("systemd ended:", status, file=sys.stderr)
        sys.exit(1)

        """

    /// Writes the systemd units with which the user manager starts the bus. The socket is a unit of its own and starts
    /// first, so that the bus's address never changes.
    static func writeUnits(_ files: BusDirectory) throws {
        let units = try files.directory.makeDirectory("config/systemd/user")
        for (name, text) in [
            // Every program that the bus starts requires `basic.target`. This empty one replaces Debian's, which would
            // also start sockets of GnuPG and others.
            ("basic.target", "[Unit]\nDefaultDependencies=no\n"),
            (
                "private-bus.target",
                "[Unit]\nDefaultDependencies=no\nRequires=dbus.socket dbus.service\nAfter=dbus.service\n"
            ),
            ("dbus.socket", "[Unit]\nDefaultDependencies=no\n[Socket]\nListenStream=\(files.socket)\n"),
            (
                "dbus.service",
                """
                [Unit]
                DefaultDependencies=no
                Requires=dbus.socket
                After=dbus.socket
                [Service]
                Type=notify
                Sockets=dbus.socket
                ExecStart=dbus-broker-launch --scope user --config-file \(files.configuration)

                """
            ),
        ] {
            try FileContents.write(text, to: "\(units)/\(name)")
        }
    }
}
