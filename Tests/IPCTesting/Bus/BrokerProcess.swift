internal import Glibc

/// The broker as a process on a private bus. A test can kill it and start it again on the same store, as often as
/// needed, and run it under a system call trace.
package final class BrokerProcess: Sendable {
    package static let busName = "org.swiftipc.Broker1"

    /// The settings of every start of the broker.
    package struct Settings: Sendable {
        /// The directory of the store; `nil` means `store` in the bus's directory.
        package var store: String?
        /// Arguments after `--store DIR`.
        package var arguments: [String] = []
        /// Environment variables in addition to those that every program on the bus gets.
        package var environment: [String: String] = [:]
        /// The absolute path of a program to run instead of `ipc-broker`, such as a faulty broker whose fault the test
        /// must find.
        package var executable: String?
        /// Whether system calls are recorded; see ``BrokerProcess/recording()``.
        package var traced = false
        /// The system call that fails; `nil` if none fails.
        package var failing: FailingCall?

        package init() {}
    }

    private struct Life: Sendable {
        let process: RunningProcess
        /// The broker's process ID, even if a tracer runs it.
        let pid: Int32
        let startTime: Duration
        let traceFile: String?
    }

    package let store: String
    private let bus: PrivateBus
    private let settings: Settings
    private let life: Observed<Life>

    /// Starts the broker and returns when it owns its name and exports its objects.
    ///
    /// - Parameter bus: `nil` means the bus of the running test.
    /// - Throws: a ``HarnessError`` with the broker's output if it exits or does not become ready.
    package static func start(
        on bus: PrivateBus? = nil, _ settings: Settings = Settings()
    ) async throws -> BrokerProcess {
        let bus = try bus ?? PrivateBus.current
        let store = settings.store ?? bus.directory.appending("store")
        return BrokerProcess(bus, store, settings, try await launch(bus, store, settings))
    }

    private init(_ bus: PrivateBus, _ store: String, _ settings: Settings, _ life: Life) {
        self.bus = bus
        self.store = store
        self.settings = settings
        self.life = Observed(life)
    }

    /// The process ID of the broker, even after it has exited.
    package var pid: Int32 { life.value.pid }

    /// Whether the broker is running.
    package var isRunning: Bool { life.value.process.isRunning }

    /// How long the last start took until the broker was ready.
    package var startTime: Duration { life.value.startTime }

    /// The broker's log since its last start.
    package var log: String { life.value.process.errors.text }

    /// The next line of the log after the line that said that the broker was ready; `nil` if there is no further one.
    package func nextLogLine() async throws -> String? { try await life.value.process.errors.nextLine() }

    /// The resident anonymous memory of the broker, in bytes (`RssAnon`).
    package var residentAnonymousBytes: Int {
        get throws { try ProcessStatus(pid: pid).residentAnonymousBytes }
    }

    /// The number of open descriptors.
    package var openDescriptors: Int {
        get throws { try ProcessStatus(pid: pid).openDescriptors }
    }

    /// Sends a signal; does nothing if the broker has exited.
    package func signal(_ number: Int32) {
        if isRunning { Glibc.kill(pid, number) }
    }

    /// Kills the broker with SIGKILL, and waits until it has exited.
    package func kill9() async throws {
        signal(SIGKILL)
        try await wait()
    }

    /// Sends SIGTERM, and waits for the broker to exit.
    @discardableResult
    package func terminate(deadline: Duration = usualDeadline) async throws -> ExitStatus {
        signal(SIGTERM)
        return try await wait(deadline: deadline)
    }

    /// Waits for the broker to exit. A tracer exits with the status of the broker that it runs.
    @discardableResult
    package func wait(deadline: Duration = usualDeadline) async throws -> ExitStatus {
        try await life.value.process.wait(deadline: deadline)
    }

    /// Starts the broker on the same store, and returns when it is ready; kills it first if it is running.
    package func restart() async throws {
        if isRunning { try await kill9() }
        let next = try await Self.launch(bus, store, settings)
        life.update { $0 = next }
    }

    /// Starts another broker with `--replace` on the same store, and returns when it is ready.
    /// - Returns: how the earlier broker exited.
    @discardableResult
    package func replace() async throws -> ExitStatus {
        let former = life.value.process
        var settings = settings
        settings.arguments.append("--replace")
        let next = try await Self.launch(bus, store, settings)
        life.update { $0 = next }
        return try await former.wait()
    }

    /// The system calls of the last run, which must have ended.
    package func recording() throws -> SystemCallRecording {
        guard let file = life.value.traceFile else { throw HarnessError("This broker is not traced.") }
        guard !isRunning else {
            throw HarnessError("The broker is still running; its trace is complete only after it has exited.")
        }
        return try SystemCallRecording(contentsOf: file)
    }

    /// Whether the call that was to fail was made in the last run, which must have ended.
    package func hasFailed() throws -> Bool {
        guard let file = life.value.traceFile else { throw HarnessError("No call of this broker fails.") }
        return try FileContents.text(file).contains("(INJECTED)")
    }

    private static func launch(_ bus: PrivateBus, _ store: String, _ settings: Settings) async throws -> Life {
        let clock = ContinuousClock()
        let begin = clock.now
        let isTraced = settings.traced || settings.failing != nil
        let traceFile = isTraced ? bus.directory.appending("trace-\(UInt64.random(in: 0 ... .max))") : nil
        let tracer =
            traceFile.map { output in
                settings.failing.map { SystemCallTrace.failing($0, in: store, output: output) }
                    ?? SystemCallTrace.command(output: output)
            } ?? []
        let command = tracer + [try settings.executable ?? Binaries.path("ipc-broker"), "--store", store]
        let process = try await bus.startBroker(command + settings.arguments, environment: settings.environment)
        let pid = tracer.isEmpty ? process.pid : process.statistics.children.first
        guard let pid else { throw HarnessError("The traced broker has ended. \(process.errors.text)") }
        return Life(process: process, pid: pid, startTime: clock.now - begin, traceFile: traceFile)
    }
}
