import Foundation
import Glibc
import IPCTesting
import Testing

/// A healthy desktop on a private bus, for tests that break it: a broker and an application that the bus starts, with a
/// claim, a desktop entry, a default and a cache.
struct DoctorScene: Sendable {
    static let broker = "org.swiftipc.Broker1"
    static let application = "org.example.Well"
    static let scheme = "Well.example"

    /// Whether the bus starts a program again after a failed start. dbus-broker 33 does not if an earlier start
    /// succeeded: it never answers the next call.
    static let startsAgain = BusImplementation.current == .daemon

    let bus: PrivateBus
    /// The environment of a shell in this session.
    var environment: [String: String]

    /// The report of `doctor`.
    struct Report {
        let findings: [Finding]
        let output: ProcessOutput

        subscript(word: String) -> Finding? { findings.first { $0.word == word } }
        var words: [String] { findings.map(\.word) }
    }

    struct Finding {
        let level: String
        let word: String
        let message: String
        let command: String?

        init(_ line: String) throws {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String], "\(line)")
            level = try #require(object["level"])
            word = try #require(object["finding"])
            message = try #require(object["message"])
            command = object["command"]
        }
    }

    static func healthy() async throws -> DoctorScene {
        let bus = try PrivateBus.current
        var environment = bus.environment
        environment["PATH"] = Binaries.directory + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        let scene = DoctorScene(bus: bus, environment: environment)
        try await bus.addService(name: broker, exec: try Binaries.path("ipc-broker"))
        // The user's default for another type, which must not matter to `doctor`.
        try FileContents.write("[Default Applications]\ntext/plain=nobody.desktop;\n", to: scene.associations)
        try await scene.run(
            "ipc-client scheme register \(scheme) --application \(application) --persistent --exec /usr/bin/true")
        return scene
    }

    var services: String { bus.serviceDirectory }
    var applications: String { bus.directory.appending("data/applications") }
    var entryPath: String { "\(applications)/\(Self.application).desktop" }
    var associations: String { bus.directory.appending("config/mimeapps.list") }
    var store: String { bus.directory.appending("data/swift-ipc/store") }
    var configuration: String { bus.directory.appending("config/swift-ipc/ipc-broker.conf") }

    func service(_ name: String) -> String { "\(services)/\(name).service" }

    /// A correct desktop entry; parts of it can be made wrong.
    static func entry(exec: String? = nil) throws -> String {
        """
        [Desktop Entry]
        Type=Application
        Name=Well
        Exec=\(try exec ?? "\(opener()) open %u")
        MimeType=x-scheme-handler/Well.example;x-scheme-handler/well.example;
        NoDisplay=true

        """
    }

    /// The path of `ipc-client` with symbolic links resolved.
    static func opener() throws -> String {
        let real = try #require(realpath(try Binaries.path("ipc-client"), nil))
        defer { free(real) }
        return String(cString: real)
    }

    func writeConfiguration(_ text: String) throws {
        try bus.directory.makeDirectory("config/swift-ipc")
        try FileContents.write(text, to: configuration)
    }

    /// Runs a line of shell in this session until it exits.
    @discardableResult
    func run(_ line: String) async throws -> ProcessOutput {
        try await RunningProcess.run("/bin/bash", ["-c", line], environment: environment).succeeded()
    }

    /// Stops the broker; the next call starts another one.
    func endBroker() async throws {
        guard try await bus.hasOwner(Self.broker) else { return }
        let process = try await bus.processID(ofName: Self.broker)
        try await run("kill \(process) && tail --pid=\(process) -f /dev/null")
    }

    /// The report of `doctor` in this session. If there is a `line`, the same shell runs it before `doctor`.
    func examine(after line: String? = nil) async throws -> Report {
        let doctor = "exec \(try Binaries.path("ipc-client")) doctor --json"
        let script = line.map { "\($0)\nif test $? -ne 0; then exit 99; fi\n\(doctor)" } ?? doctor
        let output = try await RunningProcess.run("/bin/bash", ["-c", script], environment: environment)
        #expect(output.status != .exited(99), "the command failed: \(line ?? "") \(output)")
        // The shell may print lines before the report.
        let lines = output.lines.filter { $0.hasPrefix("{") }
        let report = Report(findings: try lines.map(Finding.init), output: output)
        let hasProblem = report.findings.contains { $0.level == "problem" }
        #expect(output.status == (hasProblem ? .exited(69) : .success), "\(output)")
        return report
    }

    /// Checks the promise of a finding: the fault is found, its command is run unchanged, and the fault is gone.
    @discardableResult
    func expectMended(_ word: String, _ level: String, saying part: String? = nil) async throws -> Report {
        let before = try await examine()
        let finding = try #require(before[word], "\(word) was not found: \(before.output)")
        #expect(finding.level == level)
        if let part { #expect(finding.message.contains(part), "\(finding)") }
        let command = try #require(finding.command)
        let after = try await examine(after: command)
        #expect(after[word] == nil, "\(command) did not mend \(word): \(after.output)")
        return after
    }
}
