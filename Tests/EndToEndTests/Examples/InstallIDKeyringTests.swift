import IPCTesting
import Testing

/// The id of an installation, in a real keyring.
@Suite(.privateBus)
struct InstallIDKeyringTests {
    private func record() throws -> String {
        try FileContents.text(
            PrivateBus.current.directory.appending("home/.local/state/install-id/com.example.InstallID"))
    }

    @Test func `the id is only in the keyring, and it is the same at every start`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        let first = try await InstallIDScene.id()
        #expect(try await InstallIDScene.run(["where"]).output == "keyring\n")
        #expect(try record() == "keyring\n")
        #expect(try await keyring.items() == 1)
        #expect(try await InstallIDScene.id() == first)
        try await keyring.stop()
        let next = try await Keyring.start(isUnlocked: true)
        #expect(try await InstallIDScene.id() == first)
        // Even if the local record is deleted, the keyring still has the id.
        try await RunningProcess.run("rm", ["-r", try PrivateBus.current.directory.appending("home/.local")])
            .succeeded()
        #expect(try await InstallIDScene.id() == first)
        #expect(try await next.items() == 1)
    }

    @Test func `a removed id is gone from the keyring`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        let first = try await InstallIDScene.id()
        #expect(try await InstallIDScene.run(["remove"]).output == "removed\n")
        #expect(try await keyring.items() == 0)
        #expect(try await InstallIDScene.run(["remove"]).output == "there was none\n")
        #expect(try await InstallIDScene.id() != first)
        #expect(try await keyring.items() == 1)
    }

    @Test func `processes that start at the same time get the same id, and the keyring has one`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        let directory = try PrivateBus.current.directory
        // Each process has its own folder for the local record, so only taking turns at the keyring gives them the same
        // id.
        let ids = try await InstallIDScene.idsOfRace { ["XDG_STATE_HOME": directory.appending("state-\($0)")] }
        #expect(ids.count == 1)
        #expect(try await keyring.items() == 1)
    }

    @Test func `a locked keyring is reported, and no replacement id is created`() async throws {
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

    @Test func `an id stays the same after its keyring was locked`() async throws {
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

    @Test func `without the keyring, no second id is created`() async throws {
        let keyring = try await Keyring.start(isUnlocked: true)
        let first = try await InstallIDScene.id()
        try await keyring.stop()
        for arguments in [[], ["remove"]] {
            let away = try await InstallIDScene.run(arguments)
            #expect(away.status == .exited(69) && away.output.isEmpty, "\(away)")
            #expect(away.errors.contains("no keyring is available"), "\(away)")
        }
        _ = try await Keyring.start(isUnlocked: true)
        #expect(try await InstallIDScene.id() == first)
    }

    @Test func `an id that was created without a keyring stays in its file`() async throws {
        let first = try await InstallIDScene.id()
        let keyring = try await Keyring.start(isUnlocked: true)
        #expect(try await InstallIDScene.id() == first)
        #expect(try await keyring.items() == 0)
        #expect(try record() == "\(first)\n")
    }

    @Test func `unlocking the keyring at its prompt returns the id`() async throws {
        let keyring = try await PromptingKeyring.start(answer: "yes")
        let first = try await InstallIDScene.id()
        #expect(try await keyring.nextLine() == "prompt")
        // The keyring stays unlocked, so the user is asked only once.
        #expect(try await InstallIDScene.id() == first)
        #expect(keyring.process.output.text == "ready\nprompt\n")
        #expect(try record() == "keyring\n")
    }

    @Test(arguments: ["no", "leave"])
    func `a dismissed prompt creates nothing`(_ answer: String) async throws {
        let keyring = try await PromptingKeyring.start(answer: answer)
        let refused = try await InstallIDScene.run([])
        #expect(try await keyring.nextLine() == "prompt")
        #expect([.exited(75), .exited(69)].contains(refused.status) && refused.output.isEmpty, "\(refused)")
        #expect(throws: (any Error).self) { try record() }
    }
}
