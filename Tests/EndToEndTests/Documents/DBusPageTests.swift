import IPCTesting
import Testing

/// Builds the programs in the pages about the product IPCDBus exactly as they stand there, and runs them.
@Suite(.privateBus)
struct DBusPageTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")

    /// The blocks of a page in a language, each with its lines.
    private func blocks(_ language: String, of page: String) throws -> [String] {
        try FileContents.text("\(Self.root)/docs/\(page).md").split(separator: "```\(language)\n").dropFirst()
            .compactMap { $0.split(separator: "```").first.map(String.init) }
    }

    private func programs(of page: String) throws -> [String] {
        try blocks("swift", of: page).filter { $0.contains("import IPCDBus\n") }
    }

    private func build(_ program: String, named name: String) async throws -> String {
        try await SwiftCompiler.program(program, named: name, in: try PrivateBus.current.directory.path)
    }

    private func start(_ program: String) async throws -> RunningProcess {
        let service = try await RunningProcess.start(program, input: .none)
        _ = try await RunningProcess.run("gdbus", ["wait", "--session", "--timeout", "60", "com.example.Greeter"])
            .succeeded()
        return service
    }

    @Test(arguments: 0..<2)
    func aServiceAnswersAsItsPageShows(number: Int) async throws {
        let services = try programs(of: "dbus-service")
        let sessions = try blocks("console", of: "dbus-service")
        #expect(services.count == 2 && sessions.count == 2)
        let program = try await build(services[number], named: "service")
        let service = try await start(program)
        for step in sessions[number].split(separator: "$ ") {
            let (command, expected) = (step.prefix { $0 != "\n" }, step.drop { $0 != "\n" }.dropFirst())
            let output = try await RunningProcess.run("bash", ["-c", "\(command) 2>&1"])
            #expect(output.output.filter { $0 != "\n" } == expected.filter { $0 != "\n" }, "\(command)")
        }
        // A second instance says that the name is taken.
        let second = try await RunningProcess.run(program, [])
        #expect(second.status == .exited(1) && second.output.hasPrefix("another program owns"), "\(second)")
        // The program ends with the bus. Without a bus, it says so.
        try await PrivateBus.current.kill()
        #expect(try await service.wait() == .success)
        let third = try await RunningProcess.run(program, [])
        #expect(third.status == .exited(1) && third.output.contains("message bus"), "\(third)")
    }

    @Test func theClientPrintsWhatTheCommentsOfItsPageSay() async throws {
        let clients = try programs(of: "dbus-client")
        #expect(clients.count == 1)
        let service = try await start(build(try programs(of: "dbus-service")[1], named: "service"))
        let client = try await build(clients[0], named: "client")
        let expected = clients[0].split(separator: "\n").compactMap { line in
            line.contains("print(") ? line.split(separator: "    // ").dropFirst().last : nil
        }
        #expect(expected.count == 4)
        let output = try await RunningProcess.run(client, []).succeeded()
        #expect(output.lines == expected.map { String($0) }, "\(output)")
        // The control: without the service, the client reports the error of the bus.
        await service.end()
        let failed = try await RunningProcess.run(client, [])
        #expect(failed.status == .exited(1), "\(failed)")
        #expect(failed.output.contains("org.freedesktop.DBus.Error.ServiceUnknown"), "\(failed)")
    }
}
