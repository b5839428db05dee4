internal import Glibc

extension BusProcesses {
    /// Starts dbus-broker, and returns when it accepts connections.
    ///
    /// - Throws: a ``HarnessError`` if this machine cannot run it.
    static func startBroker(in files: BusDirectory) async throws -> BusProcesses {
        let needed = ["/usr/bin/dbus-broker-launch", "/lib/systemd/systemd", "/usr/bin/python3", "/usr/bin/unshare"]
        let missing = needed.filter { !FileContents.exists($0) }
        guard missing.isEmpty else {
            throw HarnessError("dbus-broker cannot be started: there is no \(missing.joined(separator: ", no ")).")
        }
        try BrokerLauncher.writeUnits(files)
        // A user other than root must have a user namespace to mount anything.
        let asUser = geteuid() == 0 ? [] : ["--user", "--map-current-user", "--keep-caps"]
        let process = try await RunningProcess.start(
            "unshare", asUser + ["--mount", "--", "/usr/bin/python3", "-u", BrokerLauncher.script],
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
}
