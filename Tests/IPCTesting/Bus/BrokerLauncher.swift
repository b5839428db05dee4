/// The environment that dbus-broker's launcher needs where systemd is not running: a user manager of its own, the
/// journal's socket, and a `/run/systemd` that pretends that systemd is running. All of it is in a mount namespace.
enum BrokerLauncher {
    /// Prints `ready` when the bus is running; messages for the journal go to standard error.
    static let script = """
        import contextlib, glob, os, socket, subprocess, sys, threading

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

        def own_cgroup():
            # In a shared cgroup, a manager removes the cgroup that another has just made for a program of the same name.
            # That program then fails at its start, which dbus-broker 33 does not report
            # (https://github.com/bus1/dbus-broker/issues/314). Also removes the cgroups of launchers that have ended.
            path = [line[3:].rstrip() for line in open("/proc/self/cgroup") if line.startswith("0::")][0]
            trees = ["/sys/fs/cgroup", *glob.glob("/sys/fs/cgroup/*")]
            for former in [each for tree in trees for each in glob.glob(f"{tree}{path}/ipc-bus-*")]:
                if not os.path.exists("/proc/" + former.rpartition("-")[2]):
                    for folder, _, _ in os.walk(former, topdown=False):
                        with contextlib.suppress(OSError):
                            os.rmdir(folder)
            mounted = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"]
            tree = [each for each in mounted if os.path.exists(f"{each}{path}/cgroup.procs")][0]
            own = f"{tree}{path}/ipc-bus-{os.getpid()}"
            os.makedirs(own, exist_ok=True)
            with open(own + "/cgroup.procs", "w") as processes:
                processes.write(str(os.getpid()))

        # Where cgroups cannot be changed, the manager uses the shared one.
        with contextlib.suppress(OSError, IndexError):
            own_cgroup()
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
