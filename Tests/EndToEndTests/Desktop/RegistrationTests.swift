import IPCTesting
import Testing

/// What `scheme register` writes, and that `scheme unregister` restores the earlier state: names, modes and bytes.
@Suite(.privateBus)
struct RegistrationTests {
    private static let application = "org.example.Notes"

    private func register(_ arguments: [String]) async throws -> ProcessOutput {
        try await Tools.client(["scheme", "register"] + arguments + ["--application", Self.application])
    }

    /// Leaves out the broker's folder for sockets of direct connections.
    private func snapshot() throws -> HomeSnapshot { HomeSnapshot(try .current) { $0 == "run/swift-ipc" } }

    private func unregister(_ arguments: [String] = ["--all"]) async throws {
        _ = try await Tools.client(["scheme", "unregister"] + arguments + ["--application", Self.application])
            .succeeded()
    }

    @Test func registrationsAtTheSameTimeLoseNothing() async throws {
        let broker = try await BrokerProcess.start()
        let before = try snapshot()
        let schemes = (1...6).map { "scheme\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for scheme in schemes {
                group.addTask { _ = try await register([scheme, "--persistent", "--exec", "sh -c true"]).succeeded() }
                group.addTask { _ = try await Tools.client(["handle", scheme, "--exec", "true"]).succeeded() }
            }
            try await group.waitForAll()
        }
        let bus = try PrivateBus.current
        let entry = try FileContents.text(bus.directory.appending("data/applications/\(Self.application).desktop"))
        let defaults = try FileContents.text(bus.directory.appending("config/mimeapps.list"))
        for scheme in schemes {
            let claims = try await Tools.client(["scheme", "list", scheme]).succeeded()
            #expect(claims.lines.count == 2, "\(claims)")
            #expect(defaults.contains("x-scheme-handler/\(scheme)="))
            let isOurs = entry.contains("x-scheme-handler/\(scheme);")
            let handled = FileContents.names(in: bus.directory.appending("data/applications"))?
                .contains("org.swiftipc.handle.\(scheme).desktop")
            // On the desktop, the scheme goes to the first of the two.
            #expect(isOurs || handled == true, "\(scheme)")
            _ = try await Tools.client(["handle", "--remove", scheme]).succeeded()
        }
        try await unregister()
        #expect(try snapshot() == before)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [true, false])
    func unregisteringRestoresTheHome(isFurnished: Bool) async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        if isFurnished { try FurnishedHome.furnish(bus) }
        let before = try snapshot()
        let registered = try await register([
            "Notes.example", "other.example", "--persistent", "--exec", "sh -c 'exit 0'",
        ])
        .succeeded()
        // The control: the registration changes files, and reports each of them.
        let between = try snapshot()
        let changed = between.elements.filter { before.elements[$0.key] != $0.value && $0.value.bytes != nil }
        let told = Set(registered.lines.map { String($0.drop { $0 != "/" }) })
        let journal = "data/swift-ipc/registered/\(Self.application)"
        #expect(told == Set(changed.keys.filter { $0 != journal }.map(bus.directory.appending)))
        #expect(told.count == 4)
        try await unregister(["Notes.example"])
        #expect(try snapshot() != before)
        try await unregister(["other.example"])
        #expect(try snapshot() == before)
        try await unregister()
        #expect(try snapshot() == before)
        withExtendedLifetime(broker) {}
    }

    @Test func aRejectedRegistrationWritesNothing() async throws {
        let bus = try PrivateBus.current
        try FurnishedHome.furnish(bus)
        let before = try snapshot()
        for way in ["--persistent", "--transient"] {
            #expect(try await register(["notes", way]).status == .exited(69), "there is no broker")
        }
        let broker = try await BrokerProcess.start()
        #expect(try await register(["https", "--persistent"]).status == .exited(77))
        #expect(try await register(["https", "--transient"]).status == .exited(77))
        #expect(try await register(["notes"]).status == .exited(64))
        #expect(try await register(["notes", "--persistent", "--transient"]).status == .exited(64))
        #expect(try await register(["notes", "--transient", "--exec", "no.such.program"]).status == .exited(65))
        #expect(try await register(["notes", "--transient", "--exec", "sh | sh"]).status == .exited(65))
        #expect(try await register(["notes", "--persistent", "--no-desktop"]).succeeded().output.isEmpty)
        let left = try snapshot()
        #expect(left == before)
        withExtendedLifetime(broker) {}
    }

    /// A program that cannot be started is reported before anything is stored.
    @Test(arguments: ["no.such.program", "./no.such.program", "/nowhere/program", "sh | sh"])
    func anUnusableCommandStoresNoClaim(command: String) async throws {
        let broker = try await BrokerProcess.start()
        let refused = try await register(["notes", "--persistent", "--exec", command])
        #expect(refused.status == .exited(65) && !refused.errors.contains("stored"), "\(refused)")
        #expect(try await Tools.client(["scheme", "list", "notes"]).succeeded().output.isEmpty)
        // The control: a program that can be run gets a claim.
        _ = try await register(["notes", "--persistent", "--exec", "sh -c 'exit 0'"]).succeeded()
        #expect(try await Tools.client(["scheme", "list", "notes"]).succeeded().output.contains(Self.application))
        withExtendedLifetime(broker) {}
    }

    @Test func aScriptThatReceivesNothingIsReported() async throws {
        let broker = try await BrokerProcess.start()
        let script = try PrivateBus.current.directory.appending("note.sh")
        for (text, isReported) in [("cat >>notes.txt", true), ("exec \(try Binaries.path("ipc-server"))", false)] {
            try FileContents.write("#!/bin/sh\n\(text)\n", to: script)
            _ = try await RunningProcess.run("chmod", ["+x", script]).succeeded()
            for way in ["--persistent", "--transient"] {
                let registered = try await register(["notes", way, "--exec", script]).succeeded()
                #expect(registered.errors.contains("ipc-client handle notes --exec") == isReported, "\(registered)")
                #expect(isReported || registered.errors.isEmpty, "\(registered)")
                try await unregister()
            }
        }
        withExtendedLifetime(broker) {}
    }

    @Test func aRelativeCommandPathIsStoredAsAbsolute() async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        let client = try Binaries.path("ipc-client")
        let registered = try await RunningProcess.run(
            "bash",
            [
                "-c",
                "cd /bin && \(client) scheme register notes --application \(Self.application) --persistent --exec './sh -c exit'",
            ], environment: bus.environment)
        _ = try registered.succeeded()
        let service = try FileContents.text(
            bus.directory.appending("data/dbus-1/services/\(Self.application).service"))
        #expect(service.contains("/bin/sh -c exit\n") && !service.contains("./"), "\(service)")
        withExtendedLifetime(broker) {}
    }

    @Test func anotherProgramKeepsItsScheme() async throws {
        let bus = try PrivateBus.current
        try FurnishedHome.furnish(bus)
        let broker = try await BrokerProcess.start()
        let list = bus.directory.appending("config/mimeapps.list")
        let before = try FileContents.text(list)
        let left = try await register(["Theirs", "--persistent", "--json"]).succeeded()
        #expect(left.errors.contains("theirs.desktop") && left.errors.contains("--default"), "\(left)")
        #expect(try FileContents.text(list) == before)
        #expect(!FileContents.exists(bus.directory.appending("data/applications/\(Self.application).desktop")))
        let taken = try await register(["Theirs", "--persistent", "--default", "--json"]).succeeded()
        #expect(taken.errors.isEmpty && taken.output.contains(#""desktop":["Theirs"]"#), "\(taken)")
        #expect(try FileContents.text(list).contains("/theirs=\(Self.application).desktop;theirs.desktop"))
        try await unregister()
        #expect(try FileContents.text(list) == before)
        withExtendedLifetime(broker) {}
    }

    @Test func aSessionClaimStartsItsHandlerUntilItIsRemoved() async throws {
        let broker = try await BrokerProcess.start()
        let before = try snapshot()
        let server = try Binaries.path("ipc-server")
        let command = "\(server) --application \(Self.application) --scheme Notes --reply started"
        let registered = try await register(["Notes", "--transient", "--exec", command, "--json"]).succeeded()
        #expect(registered.output.contains(#""activatable":true"#), "\(registered)")
        #expect(try await Tools.client(["scheme", "list", "notes"]).output.contains("installed"))
        #expect(try await Tools.client(["open", "notes:hello"]).succeeded().output.hasPrefix("started"))
        try await broker.restart()
        #expect(try await Tools.client(["scheme", "can-open", "notes:"]).status == .success)
        try await unregister()
        #expect(try snapshot() == before)
        #expect(try await Tools.client(["scheme", "list", "notes"]).output.contains("live"))
    }

    @Test func desktopFileValidateAcceptsTheEntries() async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        for (number, schemes) in [["a"], ["A.b+c-d", "z9"], ["mailto"]].enumerated() {
            let id = "org.example.N-\(number)_x"
            _ = try await Tools.client(
                ["scheme", "register"] + schemes + ["--application", id, "--persistent", "--allow-reserved"]
            ).succeeded()
            let path = bus.directory.appending("data/applications/org.example.N_\(number)_x.desktop")
            let checked = try await RunningProcess.run("desktop-file-validate", [path])
            #expect(checked.status == .success && checked.output.isEmpty, "\(checked)")
        }
        // The control: the validator finds mistakes.
        let wrong = bus.directory.appending("wrong.desktop")
        try FileContents.write("[Desktop Entry]\nType=Application\nExec=x %u\n", to: wrong)
        #expect(try await RunningProcess.run("desktop-file-validate", [wrong]).status != .success)
        withExtendedLifetime(broker) {}
    }
}
