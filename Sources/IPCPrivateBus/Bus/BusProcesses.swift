/// One run of a bus: the process that the harness started, and the process of the bus itself.
package struct BusProcesses: Sendable {
    /// dbus-daemon, or a program that starts the bus and supervises it.
    let launcher: RunningProcess
    /// The process that carries the messages.
    let busPID: Int32

    package init(launcher: RunningProcess, busPID: Int32) { (self.launcher, self.busPID) = (launcher, busPID) }

    /// Starts dbus-daemon, and returns when it accepts connections.
    package static func startDaemon(in files: BusDirectory) async throws -> BusProcesses {
        // Descriptor 1 is a pipe on which the bus writes its address once it is listening.
        let process = try await RunningProcess.start(
            "dbus-daemon",
            ["--nofork", "--nopidfile", "--nosyslog", "--config-file=\(files.configuration)", "--print-address=1"],
            environment: files.environment)
        do {
            try await process.waitForLine { $0.hasPrefix("unix:") }
        } catch {
            await process.end()
            throw error
        }
        return BusProcesses(launcher: process, busPID: process.pid)
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
