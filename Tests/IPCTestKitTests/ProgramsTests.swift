import IPCTestKit
import IPCTesting
import Testing

/// Where the kit finds the programs that it needs.
@Suite struct ProgramsTests {
    /// Two directories with a broker, one with a file that is no program, and one that is empty.
    private struct Folders {
        let root: TemporaryDirectory
        let (built, installed, plain, empty): (String, String, String, String)

        init() throws {
            root = try TemporaryDirectory("programs")
            built = try root.makeDirectory("built")
            installed = try root.makeDirectory("installed")
            plain = try root.makeDirectory("plain")
            empty = try root.makeDirectory("empty")
            for folder in [built, installed] { try FileContents.write("", to: "\(folder)/ipc-broker", isProgram: true) }
            try FileContents.write("", to: "\(installed)/dbus-daemon", isProgram: true)
            try FileContents.write("", to: "\(plain)/ipc-broker")
            try root.makeDirectory("plain/dbus-daemon")
        }
    }

    private func complaint(_ body: () throws -> Void) throws -> String {
        try #require(throws: PrivateBrokerUnavailable.self, performing: body).description
    }

    @Test func `a given path comes first, then the variable, the build directory, and PATH`() throws {
        let folders = try Folders()
        defer { folders.root.remove() }
        var environment = ["PATH": "\(folders.empty):\(folders.plain):\(folders.installed)"]
        #expect(
            try Programs(environment: environment, folder: folders.empty).broker() == "\(folders.installed)/ipc-broker")
        #expect(try Programs(environment: environment, folder: folders.built).broker() == "\(folders.built)/ipc-broker")
        environment[Programs.variable] = "\(folders.installed)/ipc-broker"
        let programs = Programs(environment: environment, folder: folders.built)
        #expect(try programs.broker() == "\(folders.installed)/ipc-broker")
        #expect(try programs.broker("\(folders.built)/ipc-broker") == "\(folders.built)/ipc-broker")
    }

    @Test func `a missing broker is an error that says what to do`() throws {
        let folders = try Folders()
        defer { folders.root.remove() }
        let path = ["PATH": "\(folders.empty):\(folders.plain)"]
        let text = try complaint { _ = try Programs(environment: path, folder: folders.empty).broker() }
        for part in [folders.empty, "dependencies of the test target", "SWIFT_IPC_BROKER"] {
            #expect(text.contains(part), "\(text)")
        }
        // A path that is wrong is not replaced by another one.
        let wrong = ["PATH": folders.installed, Programs.variable: "\(folders.plain)/ipc-broker"]
        let complaint = try complaint { _ = try Programs(environment: wrong, folder: folders.built).broker() }
        #expect(complaint.contains("'\(folders.plain)/ipc-broker' (SWIFT_IPC_BROKER)"), "\(complaint)")
    }

    @Test func `a missing bus is an error that says what to do`() throws {
        let folders = try Folders()
        defer { folders.root.remove() }
        let without = Programs(environment: ["PATH": folders.plain], folder: folders.built)
        let text = try complaint { _ = try BrokerCommand(without) }
        #expect(text == "There is no dbus-daemon in PATH. Install it (Debian: apt install dbus-daemon).")
        // The control: with the program, there is no error.
        _ = try BrokerCommand(Programs(environment: ["PATH": folders.installed], folder: folders.built))
    }

    @Test func `a test with a missing broker fails with that error`() async throws {
        #expect(PrivateBroker.isAvailable)
        await #expect(throws: PrivateBrokerUnavailable.self) {
            try await withPrivateBroker(executable: "/nowhere/ipc-broker") { _ in }
        }
    }

    @Test func `a broker that does not start is an error with its output`() async throws {
        let error = try await #require(throws: HarnessError.self) {
            try await withPrivateBroker(arguments: ["--no-such-option"]) { _ in }
        }
        #expect(error.description.contains("--no-such-option"), "\(error)")
    }
}
