internal import Glibc

/// One run of a bus: the process that the harness started, and the process of the bus itself.
struct BusProcesses: Sendable {
    /// dbus-daemon, or the script that sets up dbus-broker's environment.
    let launcher: RunningProcess
    /// The process that carries the messages.
    let busPID: Int32

    /// Starts the bus and returns when it accepts connections.
    ///
    /// - Throws: a ``HarnessError`` if this machine cannot run it.
    static func start(_ implementation: BusImplementation, in files: BusDirectory) async throws -> BusProcesses {
        // Start the bus outside the test's process scope: the scope ends before the bus is stopped, and would kill it.
        try await ProcessScope.$current.withValue(nil) {
            switch implementation {
            case .daemon: try await startDaemon(files)
            case .broker: try await startBroker(files)
            }
        }
    }

    private static func startDaemon(_ files: BusDirectory) async throws -> BusProcesses {
        // Descriptor 1 is a pipe on which the bus writes its address once it is listening.
        let process = try await RunningProcess.start(
            "dbus-daemon",
            ["--nofork", "--nopidfile", "--nosyslog", "--config-file=\(files.configuration)", "--print-address=1"],
            environment: files.environment)
        try await process.waitForLine { $0.hasPrefix("unix:") }
        return BusProcesses(launcher: process, busPID: process.pid)
    }

    private static func startBroker(_ files: BusDirectory) async throws -> BusProcesses {
        let needed = ["/usr/bin/dbus-broker-launch", "/lib/systemd/systemd", "/usr/bin/python3", "/usr/bin/unshare"]
        let missing = needed.filter { !FileContents.exists($0) }
        guard missing.isEmpty else {
            throw HarnessError("dbus-broker cannot be started: there is no \(missing.joined(separator: ", no ")).")
        }
        let script = files.directory.appending("dbus-broker.py")
        try FileContents.write(BrokerLauncher.script, to: script)
        try BrokerLauncher.writeUnits(files)
        // A user other than root must have a user namespace to mount anything.
        let asUser = geteuid() == 0 ? [] : ["--user", "--map-current-user", "--keep-caps"]
        let process = try await RunningProcess.start(
            "unshare", asUser + ["--mount", "--", "/usr/bin/python3", "-u", script],
            environment: files.environment)
        do {
            try await process.waitForLine { $0 == "ready" }
            // The user manager is ready before its bus has started. A reply shows that the bus is running.
            _ = try await files.callBus("GetId")
            let below = process.statistics.descendants
            guard let bus = below.first(where: { ProcessStatus(pid: $0).command == "dbus-broker" }) else {
                throw HarnessError(
                    "dbus-broker is not among the child processes of its launcher.\n\(process.errors.text)")
            }
            return BusProcesses(launcher: process, busPID: bus)
        } catch {
            await process.end()
            throw error
        }
    }

    /// Sends SIGKILL to the processes of the bus itself; programs that the bus started keep running.
    func kill() async throws {
        let below = launcher.pid == busPID ? [] : launcher.statistics.descendants
        // Kill parents first: the supervisor would start the bus again.
        for pid in below where Self.carriesBus(pid) { try await ProcessStatus(pid: pid).kill9() }
        try await launcher.kill9()
    }

    private static func carriesBus(_ pid: Int32) -> Bool {
        ["systemd", "dbus-broker", "dbus-broker-lau"].contains(ProcessStatus(pid: pid).command)
    }
}
