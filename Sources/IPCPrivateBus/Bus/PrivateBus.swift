internal import Glibc

/// A message bus for a single test, in a temporary directory, with real programs on it.
package final class PrivateBus: Sendable {
    @TaskLocal package static var scoped: PrivateBus?

    /// The bus of the running test.
    ///
    /// - Throws: a ``HarnessError`` in a test without the trait `.privateBus`.
    package static var current: PrivateBus {
        get throws {
            guard let scoped else { throw HarnessError("This test has no bus; give it the trait .privateBus.") }
            return scoped
        }
    }

    let files: BusDirectory
    private let lives: Observed<Lives>
    private let start: Start

    /// Starts the bus, and returns when it accepts connections.
    package typealias Start = @Sendable (BusDirectory) async throws -> BusProcesses

    private struct Lives: Sendable {
        var current: BusProcesses?
        /// One launcher for each time the bus was started. Earlier ones are kept because their children may still be
        /// running; ``stop()`` ends them.
        var launchers: [RunningProcess]
    }

    /// Starts a bus and returns when it accepts connections. Call ``stop()`` when you no longer need it.
    ///
    /// - Parameters:
    ///   - directory: an empty directory, which ``stop()`` removes.
    ///   - start: starts the program of the bus.
    /// - Throws: the errors of `start`; a ``HarnessError`` if the path of the directory is too long.
    package static func start(
        in directory: TemporaryDirectory, by start: @escaping Start = BusProcesses.startDaemon
    ) async throws -> PrivateBus {
        let files = try BusDirectory(directory)
        return PrivateBus(files, try await run(start, files), start)
    }

    private init(_ files: BusDirectory, _ processes: BusProcesses, _ start: @escaping Start) {
        (self.files, self.start) = (files, start)
        lives = Observed(Lives(current: processes, launchers: [processes.launcher]))
    }

    private static func run(_ start: Start, _ files: BusDirectory) async throws -> BusProcesses {
        // Start the bus outside the test's process scope: the scope ends before the bus is stopped, and would kill it.
        try await ProcessScope.$current.withValue(nil) { try await start(files) }
    }

    /// The address of the bus, without its GUID: the address stays the same across restarts, but the GUID does not.
    package var address: String { files.address }

    /// The path of the bus's socket.
    package var socketPath: String { files.socket }

    /// The bus's temporary directory; it holds the home, the configuration and the data of the programs on the bus.
    package var directory: TemporaryDirectory { files.directory }

    /// The directory of the `.service` files: `dbus-1/services` below `XDG_DATA_HOME`.
    package var serviceDirectory: String { files.services }

    /// The complete environment of a program on this bus. Home, runtime, configuration and data directories are below
    /// ``directory``; `PATH` is that of this process.
    package var environment: [String: String] { files.environment }

    /// The process ID of the bus.
    package var pid: Int32 {
        get throws { try running().busPID }
    }

    /// Resident memory of the bus, in bytes.
    package var residentBytes: Int {
        get throws { try ProcessStatus(pid: pid).residentBytes }
    }

    /// The bus's standard error output since its last start.
    package var log: String { lives.value.launchers.last?.errors.text ?? "" }

    /// Sends SIGKILL to the bus; programs on the bus, including those that it started, keep running.
    package func kill() async throws {
        let processes = try running()
        lives.update { $0.current = nil }
        try await processes.kill()
    }

    /// Starts the bus again at the same address, with the same services; kills it first if it is running.
    package func startAgain() async throws {
        if lives.value.current != nil { try await kill() }
        let started = try await Self.run(start, files)
        lives.update { lives in
            lives.current = started
            lives.launchers.append(started.launcher)
        }
    }

    /// Stops the bus, kills all programs that it started, and removes its directory, even in a cancelled task.
    package func stop() async {
        // The waits in a cancelled task would end at once, so they are in a task of their own.
        await Task {
            if lives.value.current != nil { try? await kill() }
            for launcher in lives.value.launchers { await launcher.end() }
            await killMarked()
        }.value
        files.directory.remove()
    }

    /// Makes a name startable by the bus, which knows the name when this returns.
    ///
    /// - Parameters:
    ///     - name: the well-known name.
    ///     - exec: the command line, quoted as the D-Bus specification requires for `Exec`; the first word is an
    ///       absolute path.
    package func addService(name: String, exec: String) async throws {
        try FileContents.write("[D-BUS Service]\nName=\(name)\nExec=\(exec)\n", to: "\(files.services)/\(name).service")
        if lives.value.current != nil { try await reloadConfiguration() }
    }

    /// Removes a name that ``addService(name:exec:)`` made startable.
    package func removeService(name: String) async throws {
        unlink("\(files.services)/\(name).service")
        if lives.value.current != nil { try await reloadConfiguration() }
    }

    private func running() throws -> BusProcesses {
        guard let processes = lives.value.current else { throw HarnessError("The bus is not running.") }
        return processes
    }

    /// Kills the programs that the bus started. They run in sessions of their own, so they are found by the marker in
    /// their environment.
    private func killMarked() async {
        for pid in ProcessStatus.all
        where ProcessStatus(pid: pid).wasStarted(with: BusDirectory.marker, files.directory.path) {
            try? await ProcessStatus(pid: pid).kill9()
        }
    }
}
