import IPCTesting
import Testing

/// The program `install-id`, alone and many at once, and a real keyring for it.
enum InstallIDScene {
    static let racers = 8

    static func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> ProcessOutput {
        try await RunningProcess.run(
            try Binaries.example("install-id"), arguments,
            environment: try ExamplePlace.environment.merging(environment) { $1 })
    }

    /// The id that the program prints; throws if it fails.
    static func id(_ environment: [String: String] = [:]) async throws -> String {
        String(try await run([], environment).succeeded().output.dropLast())
    }

    /// The ids that many processes get when they start at once.
    /// - Parameter environment: the environment of each process, by its number.
    static func idsOfRace(
        _ environment: @escaping @Sendable (Int) throws -> [String: String] = { _ in [:] }
    ) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<racers { group.addTask { try await id(environment(number)) } }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
    }
}

/// GNOME Keyring on the running test's bus, with its files in the test's data home.
struct Keyring {
    private static let password = "秘密 🔑"
    let process: RunningProcess

    /// Starts the keyring; returns when the bus knows it.
    /// - Parameter isUnlocked: whether the user has logged in. The first time, that creates the keyring.
    static func start(isUnlocked: Bool) async throws -> Keyring {
        let process = try await RunningProcess.start(
            "gnome-keyring-daemon", ["--foreground", "--components=secrets"] + (isUnlocked ? ["--unlock"] : []),
            environment: try environment, input: isUnlocked ? .text(password) : .none)
        try await PrivateBus.current.waitForOwner(of: "org.freedesktop.secrets")
        return Keyring(process: process)
    }

    /// Stops the keyring, and waits until the bus knows that.
    func stop() async throws {
        try await process.terminate()
        #expect(try await !PrivateBus.current.hasOwner("org.freedesktop.secrets"))
    }

    private static var environment: [String: String] {
        get throws { try PrivateBus.current.environment }
    }

    /// Calls a method of the service, and returns gdbus's output.
    func call(_ method: String, _ arguments: String...) async throws -> String {
        try await RunningProcess.run(
            "gdbus",
            [
                "call", "--session", "--dest", "org.freedesktop.secrets", "--object-path", "/org/freedesktop/secrets",
                "--method", "org.freedesktop.Secret.Service.\(method)",
            ] + arguments
        ).succeeded().output
    }

    /// The number of items in the keyring for the example, unlocked or not.
    func items() async throws -> Int {
        try await call("SearchItems", "{'application': 'com.example.InstallID'}").split(separator: "/collection/").count
            - 1
    }

    func lock() async throws {
        let collection = try await call("ReadAlias", "default").split(separator: "'")[1]
        _ = try await call("Lock", "['\(collection)']")
    }
}
