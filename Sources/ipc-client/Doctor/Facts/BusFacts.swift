import IPCDBus
import IPCDesktop
import IPCTools

/// The session bus.
struct BusFacts: Sendable {
    /// Why it cannot be reached; nil where it can.
    var failure: String?
    var isSystemBus = false
    /// The address of a session bus that can be reached, where the one of the environment cannot.
    var otherAddress: String?
    /// Whether systemd manages this user's session: it is on the bus.
    var hasSystemd = false
    /// The names that the bus can start a program for.
    var activatable: Set<String> = []
    /// Where the bus looks for this user's data, service files among them, where that is another place than this process
    /// would; nil where it is the same, or cannot be learnt.
    var otherDataHome: String?
    /// What the program of the bus was started with; nil where it cannot be read. What was changed since
    /// (`UpdateActivationEnvironment`) is not in it.
    var environment: [String: String]?

    var isReachable: Bool { failure == nil }
}

/// The broker on that bus.
struct BrokerFacts: Sendable {
    /// The well-known name of the broker (the contract's `org.swiftipc.Broker1`).
    static let name = "org.swiftipc.Broker1"

    /// The process that owns the name; nil where none does.
    var process: Int32?
    /// What that process runs (`/proc/PID/exe`); nil where it cannot be read.
    var program: String?
    /// Whether the file of the program was replaced or removed since.
    var isReplaced = false
    /// Why the bus could not start it; nil where it runs, or was not to be started.
    var startFailure: String?
    /// What it answers as its version; nil where it does not answer.
    var version: String?
    /// Why it does not answer.
    var silence: String?

    var isRunning: Bool { process != nil }
}

extension Facts {
    /// Asks the bus, starts the broker where the bus can, and asks the broker.
    @DBusActor
    mutating func readBus() async {
        let connection: Connection
        do throws(ConnectionError) { connection = try await Connection.open(.session, timeout: Self.busTime) } catch {
            bus.failure = "\(error)"
            bus.otherAddress = await otherAddress()
            return
        }
        bus.isSystemBus = (try? BusAddress.session.isSystemBus) ?? false
        let names = (try? await connection.listNames()) ?? []
        bus.activatable = Set((try? await connection.listActivatableNames()) ?? [])
        await readEnvironment(connection)
        bus.hasSystemd = names.contains("org.freedesktop.systemd1")
        if !bus.isSystemBus { await readBroker(connection, isRunning: names.contains(BrokerFacts.name)) }
        connection.close()
    }

    /// A bus where a session usually has it.
    @DBusActor
    private func otherAddress() async -> String? {
        for directory in [runtimeDirectory, usualRuntimeDirectory].compactMap(\.self) {
            let socket = directory.path + "/bus"
            guard FileFacts.read(socket).isThere, ShellLine.word(socket) == socket else { continue }
            let address = "unix:path=\(socket)"
            if let connection = try? await Connection.open(.address(address), timeout: Self.busTime) {
                connection.close()
                return address
            }
        }
        return nil
    }

    /// Reads what the bus was started with, and where it looks for data by that.
    ///
    /// dbus-daemon looks below `XDG_DATA_HOME` of its own environment, else in the home of the password file, whatever `HOME`
    /// says (`_dbus_get_standard_session_servicedirs`).
    @DBusActor
    private mutating func readEnvironment(_ connection: Connection) async {
        guard let process = await process(of: .bus, connection),
            FilePlace.target(of: "/proc/\(process)/exe").map(FilePlace.name) == "dbus-daemon",
            let variables = ProcessEnvironment.read("\(process)")
        else { return }
        bus.environment = variables
        let stated = variables["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        guard let own = directories.dataHome, let place = stated ?? user.home.map({ $0 + "/.local/share" }),
            FilePlace.resolved(own) != FilePlace.resolved(place)
        else { return }
        bus.otherDataHome = place
    }

    @DBusActor
    private func process(of name: BusName, _ connection: Connection) async -> UInt32? {
        let credentials = try? await connection.call(
            MessageBus.getConnectionCredentials, on: .bus, at: MessageBus.path, name.text)
        return credentials?["ProcessID"].flatMap(UInt32.init(dbusValue:))
    }

    @DBusActor
    private mutating func readBroker(_ connection: Connection, isRunning: Bool) async {
        guard let name = try? BusName(BrokerFacts.name) else { return }
        if !isRunning {
            guard bus.activatable.contains(BrokerFacts.name) else { return }
            do throws(CallError) { try await connection.startService(name, timeout: Self.startTime) } catch {
                broker.startFailure = "\(error)"
                return
            }
        }
        guard let process = await process(of: name, connection) else { return }
        broker.process = Int32(bitPattern: process)
        let target = FilePlace.target(of: "/proc/\(process)/exe")
        // proc_pid_exe(5): the name of a file that was unlinked has this behind it.
        broker.isReplaced = target?.hasSuffix(" (deleted)") ?? false
        broker.program = target.map { broker.isReplaced ? String($0.dropLast(10)) : $0 }
    }

    /// How long the broker may take to come up; opening a store after a crash takes some seconds at most.
    private static let startTime = Duration.seconds(15)
    /// How long a bus may take to answer.
    private static let busTime = Duration.seconds(5)
}
