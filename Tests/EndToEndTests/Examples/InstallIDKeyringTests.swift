import IPCTesting
import Testing

/// The id of an installation, in a real keyring.
@Suite(.privateBus)
struct InstallIDKeyringTests {
    private func record() throws -> String {
        try FileContents.text(
            PrivateBus.current.directory.appending("home/.local/state/install-id/com.example.InstallID"))
    }

    @Test func `the id is in the keyring and nowhere else, the same at every start`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        let first = try await InstallIDScene.id()
        #expect(try await InstallIDScene.run(["where"]).output == "keyring\n")
        #expect(try record() == "keyring\n")
        #expect(try await keyring.items() == 1)
        #expect(try await InstallIDScene.id() == first)
        try await keyring.stop()
        let next = try await Keyring.start(isUnlocked: true)
        #expect(try await InstallIDScene.id() == first)
        // Even if the record is lost: the keyring still has the id.
        try await RunningProcess.run("rm", ["-r", try PrivateBus.current.directory.appending("home/.local")])
            .succeeded()
        #expect(try await InstallIDScene.id() == first)
        #expect(try await next.items() == 1)
    }

    @Test func `an id that was removed is gone from the keyring`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        let first = try await InstallIDScene.id()
        #expect(try await InstallIDScene.run(["remove"]).output == "removed\n")
        #expect(try await keyring.items() == 0)
        #expect(try await InstallIDScene.run(["remove"]).output == "there was none\n")
        #expect(try await InstallIDScene.id() != first)
        #expect(try await keyring.items() == 1)
    }

    @Test func `of processes that start at once all get one id, and the keyring has one`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        let directory = try PrivateBus.current.directory
        // Without a shared record, taking turns at the keyring is enough.
        let ids = try await InstallIDScene.idsOfRace { ["XDG_STATE_HOME": directory.appending("state-\($0)")] }
        #expect(ids.count == 1)
        #expect(try await keyring.items() == 1)
    }

    @Test func `a locked keyring is told, and nothing is made in its place`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        try await keyring.lock()
        for _ in 0..<2 {
            let locked = try await InstallIDScene.run([])
            #expect(locked.status == .exited(75) && locked.output.isEmpty, "\(locked)")
            #expect(locked.errors.contains("the keyring is locked; unlock it"), "\(locked)")
        }
        #expect(throws: (any Error).self) { try record() }
        try await keyring.stop()
        _ = try await Keyring.start(isUnlocked: true)
        let first = try await InstallIDScene.id()
        #expect(try await InstallIDScene.id() == first)
    }

    @Test func `an id in a keyring that is locked later stays what it is`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        let first = try await InstallIDScene.id()
        try await keyring.lock()
        #expect(try await InstallIDScene.run([]).status == .exited(75))
        #expect(try await InstallIDScene.run(["remove"]).status == .exited(75))
        #expect(try await keyring.items() == 1)
        try await keyring.stop()
        // The user has not logged in yet.
        let locked = try await Keyring.start(isUnlocked: false)
        #expect(try await InstallIDScene.run([]).status == .exited(75))
        try await locked.stop()
        _ = try await Keyring.start(isUnlocked: true)
        #expect(try await InstallIDScene.id() == first)
    }

    @Test func `where the keyring is away, no second id is made`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        let first = try await InstallIDScene.id()
        try await keyring.stop()
        for arguments in [[], ["remove"]] {
            let away = try await InstallIDScene.run(arguments)
            #expect(away.status == .exited(69) && away.output.isEmpty, "\(away)")
            #expect(away.errors.contains("there is no keyring here"), "\(away)")
        }
        _ = try await Keyring.start(isUnlocked: true)
        #expect(try await InstallIDScene.id() == first)
    }

    @Test func `an id that was made without a keyring stays in its file`() async throws {
        let first = try await InstallIDScene.id()
        let keyring = try await Keyring.start(isUnlocked: true)
        #expect(try await InstallIDScene.id() == first)
        #expect(try await keyring.items() == 0)
        #expect(try record() == "\(first)\n")
    }

    @Test func `a person who unlocks the keyring at its prompt gets the id`() async throws {
        let keyring = try await PromptingKeyring.start(answer: "yes")
        let first = try await InstallIDScene.id()
        #expect(try await keyring.nextLine() == "prompt")
        // It is unlocked by now, so the user is asked only once.
        #expect(try await InstallIDScene.id() == first)
        #expect(keyring.process.output.text == "ready\nprompt\n")
        #expect(try record() == "keyring\n")
    }

    @Test(arguments: ["no", "leave"])
    func `a prompt that nobody grants makes nothing`(_ answer: String) async throws {
        let keyring = try await PromptingKeyring.start(answer: answer)
        let refused = try await InstallIDScene.run([])
        #expect(try await keyring.nextLine() == "prompt")
        #expect([.exited(75), .exited(69)].contains(refused.status) && refused.output.isEmpty, "\(refused)")
        #expect(throws: (any Error).self) { try record() }
    }
}
