import IPCDBus
import IPCDesktop

struct BusFacts: Sendable {
    /// Why the bus cannot be used; nil if it can.
    var failure: String?
    /// The names for which the bus can start a program.
    var activatable: Set<String> = []
    /// The folder where the bus looks for this user's data, such as service files; nil if this process looks there too.
    var otherDataHome: String?
    /// The environment variables of the bus when it was started; nil if they cannot be read.
    var environment: [String: String]?

    var isReachable: Bool { failure == nil }
}

struct BrokerFacts: Sendable {
    static let name = "org.swiftipc.Broker1"

    var process: Int32?
    /// The path of the program that the process runs (`/proc/PID/exe`).
    var program: String?
    /// Why the bus could not start the broker; nil if it could, or did not try.
    var startFailure: String?
    var version: String?
    /// Why the broker does not answer; nil if it answers.
    var silence: String?
}

extension Facts {
    /// Reads the facts about the bus, and makes it start the broker.
    @DBusActor
    mutating func readBus() async {
        let connection: Connection
        do throws(ConnectionError) { connection = try await Connection.open(.session, timeout: Self.busTime) } catch {
            bus.failure = "\(error)"
            return
        }
        defer { connection.close() }
        guard (try? BusAddress.session.isSystemBus) != true else {
            bus.failure = "the session bus of this environment is the system bus, which the broker does not serve"
            return
        }
        bus.activatable = Set((try? await connection.listActivatableNames()) ?? [])
        await readEnvironment(connection)
        await readBroker(connection)
    }

    /// Reads the environment of the bus, and the folder where it looks for data. dbus-daemon looks in `XDG_DATA_HOME`
    /// or, if that is not set, in the user's home folder (`_dbus_get_standard_session_servicedirs`).
    @DBusActor
    private mutating func readEnvironment(_ connection: Connection) async {
        guard let process = await process(of: .bus, connection),
            FilePlace.target(of: "/proc/\(process)/exe").map(FilePlace.name) == "dbus-daemon",
            let variables = FilePlace.environment(of: "\(process)")
        else { return }
        bus.environment = variables
        guard let own = directories.dataHome, let place = BaseDirectories(environment: { variables[$0] }).dataHome,
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
    private mutating func readBroker(_ connection: Connection) async {
        guard let name = try? BusName(BrokerFacts.name) else { return }
        if bus.activatable.contains(BrokerFacts.name) {
            // The bus answers at once if the broker is running.
            do throws(CallError) { try await connection.startService(name, timeout: Self.startTime) } catch {
                broker.startFailure = "\(error)"
                return
            }
        }
        guard let process = await process(of: name, connection) else { return }
        broker.process = Int32(bitPattern: process)
        broker.program = FilePlace.target(of: "/proc/\(process)/exe")
    }

    /// How long the broker may take to start. Opening a store after a crash takes a few seconds at most.
    private static let startTime = Duration.seconds(15)
    /// How long a bus may take to answer.
    private static let busTime = Duration.seconds(5)
}
