import Glibc
import IPCDesktop
import IPCModel
import IPCTools

/// The files that let the bus find the programs: the same files that `make install` creates from `dbus/`.
struct ProgramFiles: Sendable {
    let programs: Programs
    /// Whether the broker is a systemd user unit; otherwise, the bus starts it itself.
    let usesSystemd: Bool

    /// Returns the files to write in the data folder `data`.
    func planned(in data: String) -> [PlannedFile] {
        let services = "\(data)/\(ServiceFile.folder)"
        let unit = usesSystemd ? [PlannedFile.whole("\(data)/systemd/user/ipc-broker.service", unitText)] : []
        return unit + [
            .whole("\(services)/org.swiftipc.Broker1.service", brokerText),
            .whole("\(services)/demo.IPCServer.service", serverText),
            .whole("\(data)/\(ClaimFile.folder)/demo.IPCServer.handler", claimText),
        ]
    }

    private func command(_ program: String) -> String { KeyFileText.escaped(CommandWords(words: [program]).text) }

    private var brokerText: String {
        """
        # D-Bus activation of the broker: the first call to its name starts it. A bus that knows systemd starts the unit; any
        # other one (dbus-run-session, containers) runs the program itself.
        [D-BUS Service]
        Name=org.swiftipc.Broker1
        Exec=\(command(programs.broker))
        """ + "\n" + (usesSystemd ? "SystemdService=ipc-broker.service\n" : "")
    }

    private var serverText: String {
        """
        # D-Bus activation of the sample handler. Its claim to the scheme is in demo.IPCServer.handler.
        [D-BUS Service]
        Name=demo.IPCServer
        Exec=\(command(programs.server))

        """
    }

    private var claimText: String {
        """
        # An installed claim: the application demo.IPCServer handles these URL schemes. The file's name is the application id.
        #
        # The broker reads such files from swift-ipc/handlers/ in $XDG_DATA_HOME and in each directory of $XDG_DATA_DIRS, so that
        # a package can ship a claim without touching a user's store. Only the first file found for an application counts. To
        # let the bus start the application for a URL, ship a D-Bus service file with its id beside it.
        [Handler]
        # Each scheme ends with ";". Case is ignored in comparisons, and kept for display.
        Schemes=IPCServer.demo;
        Descriptors=true

        """
    }

    /// The broker's path for a command line in systemd.service(5): “%” is doubled, and a path with a space is quoted.
    private var unitProgram: String {
        let path = programs.broker.spelling { $0 == "%" ? "%%" : nil }
        return path.unicodeScalars.contains(" ") ? "\"\(path)\"" : path
    }

    private var unitText: String {
        """
        # systemd user unit of the broker. D-Bus starts it when a program calls its name; there is nothing to enable.
        [Unit]
        Description=Broker of URLs and pasteboards between programs (swift-ipc)
        # Programs call it at any time, so it is started again however often it has stopped.
        StartLimitIntervalSec=0

        [Service]
        Type=dbus
        BusName=org.swiftipc.Broker1
        # The broker reports what it is doing (systemctl status), and when it has read its configuration again.
        NotifyAccess=main
        ExecStart=\(unitProgram)
        ExecReload=kill -HUP $MAINPID
        Slice=session.slice

        # The broker exits with 0 if it is no longer needed: with its bus, when another broker takes its place, or when no program
        # uses it (idle-timeout-milliseconds). The next call starts it again. After a mistake in the configuration or without a bus, another try would end in the same way.
        Restart=on-failure
        RestartSec=100ms
        RestartPreventExitStatus=64 65 66 69 73 77
        # On SIGTERM, the broker waits briefly for answers, closes the store and exits, within 2 s.
        TimeoutStopSec=10s

        # Only the user can read the files that it writes, and it writes no core file.
        UMask=0077
        LimitCORE=0

        # Hardening that works in every user manager: none of it needs a user namespace. (ProtectSystem=, PrivateTmp= and the
        # like need one here, and the broker would not start where the kernel forbids it.)
        NoNewPrivileges=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RestrictAddressFamilies=AF_UNIX
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged
        SystemCallErrorNumber=EPERM

        """
    }
}

/// The paths of the programs: beside this program, as in a build folder, or in the folders of 'make install'.
struct Programs: Sendable {
    let broker: String
    let server: String

    /// The absolute path of this program.
    static func client() throws(ToolFailure) -> String {
        guard let path = FilePlace.target(of: "/proc/self/exe"), access(path, X_OK) == 0 else {
            throw ToolFailure(
                name: "Failed", message: "cannot find the path of this program; check that /proc is mounted",
                exit: .failed)
        }
        return path
    }

    /// Finds the broker and the server that belong to this client.
    static func beside(_ client: String) throws(ToolFailure) -> Programs {
        let folder = FilePlace.directory(of: client)
        let above = FilePlace.directory(of: folder)
        return Programs(
            broker: try find("ipc-broker", [folder, "\(above)/libexec/swift-ipc"]),
            server: try server(beside: client))
    }

    /// Finds the server that belongs to this client.
    static func server(beside client: String) throws(ToolFailure) -> String {
        try find("ipc-server", [FilePlace.directory(of: client)])
    }

    private static func find(_ program: String, _ folders: [String]) throws(ToolFailure) -> String {
        guard let folder = folders.first(where: { access("\($0)/\(program)", X_OK) == 0 }) else {
            throw ToolFailure(
                name: "NoSuchFile",
                message:
                    "there is no \(program) in \(folders.joined(separator: " or ")); build it, or install the tools",
                exit: .noInput)
        }
        return "\(folder)/\(program)"
    }
}
