public import IPC
public import IPCDBus
internal import IPCPrivateBus

/// A broker on a message bus of its own, with its own home directory and store, for one test.
///
/// ``withPrivateBroker(executable:arguments:_:)`` and the trait `.privateBroker` start one and end it. Within them, the
/// session bus is the private bus: `Application.connect(id:)` connects to it without further arguments, and
/// `Application.registerOnDesktop` writes into the private home directory. This applies to the test's task and to the
/// tasks that it starts, but not to `Task.detached` and not to threads. Pass ``bus`` there.
public final class PrivateBroker: Sendable {
    @TaskLocal static var scoped: PrivateBroker?

    /// The broker of the running test.
    /// - Throws: an error if the test has neither the trait `.privateBroker` nor called
    ///   ``withPrivateBroker(executable:arguments:_:)``.
    public static var current: PrivateBroker {
        get throws {
            guard let scoped else {
                throw HarnessError("This test has no broker. Give it the trait .privateBroker.")
            }
            return scoped
        }
    }

    /// Whether this machine has the programs that a private broker needs: `dbus-daemon` and `ipc-broker`. Use it to
    /// skip tests, as in `.enabled(if: PrivateBroker.isAvailable)`. Without it, tests fail on such a machine.
    public static var isAvailable: Bool { (try? BrokerCommand(.ofProcess)) != nil }

    private let privateBus: PrivateBus
    private let command: BrokerCommand
    private let state: Observed<State>

    private struct State: Sendable {
        var process: RunningProcess
        var applications: [Application] = []
        var handlers: [FakeHandler] = []
        var handlerCount = 0
    }

    /// Starts a bus and a broker, and returns when the broker accepts calls.
    /// - Parameter folder: where the temporary directory is created; `nil` means `TMPDIR`, or else `/tmp`.
    package static func start(_ command: BrokerCommand, below folder: String? = nil) async throws -> PrivateBroker {
        let folder = folder ?? environmentVariable("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let bus = try await PrivateBus.start(in: TemporaryDirectory("test", below: folder))
        do {
            return PrivateBroker(bus, command, try await bus.startBroker(command.words(bus)))
        } catch {
            await bus.stop()
            throw error
        }
    }

    private init(_ bus: PrivateBus, _ command: BrokerCommand, _ process: RunningProcess) {
        (privateBus, self.command) = (bus, command)
        state = Observed(State(process: process))
    }

    /// The address of the bus, for `Application.connect`.
    public var bus: BusAddress { .address(privateBus.address) }

    /// The complete environment for a program on this bus. Its home, data and runtime directories are temporary. All
    /// programs with this environment are killed when the test ends.
    public var environment: [String: String] { privateBus.environment }

    /// What the broker has logged since its last start.
    public var log: String { state.value.process.errors.text }

    /// Connects an application to the bus. It is closed when the test ends.
    /// - Parameters:
    ///   - id: the reverse-DNS id of the application.
    ///   - schemes: the schemes that the application handles.
    ///   - window: how many unanswered requests the broker may deliver at once.
    /// - Throws: the same errors as `Application.connect`.
    public func application(
        _ id: ApplicationID, schemes: [URLScheme] = [], window: UInt32 = 1
    ) async throws(IPCError) -> Application {
        let application = try await Application.connect(id: id, schemes: schemes, window: window, bus: bus)
        state.update { $0.applications.append(application) }
        return application
    }

    /// Starts a handler that records its requests. It ends with the test.
    /// - Parameters:
    ///   - schemes: the schemes that it handles.
    ///   - id: its reverse-DNS id; `nil` for an id that no other handler of this broker has.
    ///   - window: how many unanswered requests the broker may deliver at once; 1 keeps strict order.
    ///   - body: answers a request, by the rules of `OpenURLHandler`. It returns the reply, or throws an
    ///     `OpenURLRequest.Answer` or another error. By default, each request is handled, without a reply. When the
    ///     test ends, its task is cancelled, and the end waits for it.
    /// - Throws: the same errors as `Application.connect`.
    public func handler(
        for schemes: URLScheme..., id: ApplicationID? = nil, window: UInt32 = 1,
        _ body: @escaping OpenURLHandler = { _ in [] }
    ) async throws(IPCError) -> FakeHandler {
        let number = state.update { state in
            state.handlerCount += 1
            return state.handlerCount
        }
        let id = if let id { id } else { try ApplicationID("test.Handler\(number)") }
        let handler = FakeHandler(try await application(id, schemes: schemes, window: window), body)
        state.update { $0.handlers.append(handler) }
        return handler
    }

    /// Kills the broker and starts it again on the same store. Applications reconnect, and handlers register again.
    /// - Throws: an error with the broker's log if it does not start.
    public func restart() async throws {
        await state.value.process.end()
        let process = try await privateBus.startBroker(command.words(privateBus))
        state.update { $0.process = process }
    }

    /// Closes the applications, kills the broker and the bus, and removes their directory, even in a cancelled task.
    package func end() async {
        await Task {
            for handler in state.value.handlers { await handler.end() }
            for application in state.value.applications { await application.close() }
            await state.value.process.end()
        }.value
        await privateBus.stop()
    }
}

/// How to start the broker: its program, which exists, and its options.
package struct BrokerCommand: Sendable {
    private let executable: String
    private let arguments: [String]

    /// - Parameter executable: the path of `ipc-broker`; `nil` to search for it.
    package init(
        _ programs: Programs, _ executable: String? = nil, _ arguments: [String] = []
    ) throws(PrivateBrokerUnavailable) {
        try programs.checkBus()
        self.executable = try programs.broker(executable)
        self.arguments = arguments
    }

    fileprivate func words(_ bus: PrivateBus) -> [String] {
        [executable, "--store", bus.directory.appending("store")] + arguments
    }
}
