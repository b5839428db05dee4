import Glibc
import IPCTesting
import Testing

/// Broken stores, found and fixed.
@Suite(.privateBus)
struct StoreDoctorTests {
    /// Whether programs that the bus starts see the file systems that a test mounts. Here, dbus-broker and everything
    /// that it starts run in a separate mount namespace.
    private static let seesMounts = BusImplementation.current == .daemon && SmallFileSystem.isPossible

    @Test(.enabled(if: geteuid() == 0 && DoctorScene.startsAgain, "only root can change the owner of files"))
    func `a store of another user`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        try await scene.run("chown -R 65534 \(scene.store)")
        let after = try await scene.expectMended("store-foreign", "problem", saying: "65534")
        #expect(after.words == [])
    }

    @Test func `a damaged database in quarantine`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        try await scene.run("head -c 65536 /dev/urandom > \(scene.store)/store.sqlite")
        let after = try await scene.expectMended("store-damaged", "note", saying: "store.sqlite.damaged-")
        #expect(!after.words.contains("broker-start-failed"))
        let kept = FileContents.names(in: scene.store + ".damaged") ?? []
        #expect(kept.contains { $0.hasPrefix("store.sqlite.damaged-") })
    }

    @Test(.enabled(if: DoctorScene.startsAgain, "the bus must answer a start that follows a failed start"))
    func `a log whose database was removed after a crash`() async throws {
        let scene = try await DoctorScene.healthy()
        let process = try await scene.bus.processID(ofName: DoctorScene.broker)
        try await scene.run("kill -9 \(process) && tail --pid=\(process) -f /dev/null")
        try await scene.run("rm \(scene.store)/store.sqlite")
        try await withDeadline("the bus notices the crash") {
            while try await scene.bus.hasOwner(DoctorScene.broker) {}
        }
        try await scene.expectMended("store-damaged", "note", saying: "store.sqlite.damaged-")
        let kept = FileContents.names(in: scene.store + ".damaged") ?? []
        #expect(kept.contains { $0.hasSuffix("-wal") }, "\(kept)")
    }

    @Test(.enabled(if: DoctorScene.startsAgain, "the bus must answer a start that follows a failed start"))
    func `a store that the broker of another bus uses`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        let other = try await PrivateBus.start()
        var settings = BrokerProcess.Settings()
        settings.store = scene.store
        let broker = try await BrokerProcess.start(on: other, settings)
        let after = try await scene.expectMended("store-in-use", "problem", saying: "process \(broker.pid)")
        #expect(after.words == [])
        #expect(!broker.isRunning)
        await other.stop()
    }

    /// Programs that the bus starts do not have this shell's variables.
    @Test(.enabled(if: DoctorScene.startsAgain, "the bus must answer a start that follows a failed start"))
    func `a store of the bus that is in use, while this shell names another one`() async throws {
        var scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        let other = try await PrivateBus.start()
        var settings = BrokerProcess.Settings()
        settings.store = scene.store
        let broker = try await BrokerProcess.start(on: other, settings)
        scene.environment["SWIFT_IPC_STORE"] = scene.bus.directory.appending("trial")
        let found = try await scene.examine()
        #expect(found["store-in-use"]?.message.contains("process \(broker.pid)") == true, "\(found.output)")
        #expect(found["broker-start-failed"] == nil, "\(found.output)")
        await other.stop()
    }

    @Test(.enabled(if: seesMounts, "a file system can be mounted where the bus sees it"))
    func `a disk that is mounted read-only`() async throws {
        let scene = try await DoctorScene.healthy()
        let disk = try #require(SmallFileSystem(megabytes: 8))
        try scene.writeConfiguration("[Store]\ndirectory=\(disk.path)/store\n")
        try await scene.endBroker()
        _ = try await scene.examine()
        try await scene.endBroker()
        try await scene.run("mount -o remount,ro \(disk.path)")
        let after = try await scene.expectMended("store-read-only", "problem", saying: disk.path)
        #expect(after.words == ["registration-without-claim"])
        withExtendedLifetime(disk) {}
    }

    @Test(.enabled(if: seesMounts, "a file system can be mounted where the bus sees it"))
    func `a disk that is full of earlier versions`() async throws {
        let scene = try await DoctorScene.healthy()
        let disk = try #require(SmallFileSystem(megabytes: 16))
        try scene.writeConfiguration("[Store]\ndirectory=\(disk.path)/store\n")
        try await scene.endBroker()
        // Two versions of this content leave less than 5 % of the disk free.
        try await scene.run("head -c 6000000 /dev/urandom > \"$HOME/large\"")
        for _ in 0..<2 { try await scene.run("ipc-client set large --file \"$HOME/large\"") }
        let free = "$(( $(stat -f -c '%a * %S' \(disk.path)) ))"
        try await scene.run("head -c $(( \(free) - 600000 )) /dev/zero > \(disk.path)/ballast")
        let after = try await scene.expectMended("store-full", "problem", saying: disk.path)
        #expect(after.words == ["registration-without-claim"])
        #expect(try await scene.run("ipc-client get large | cmp - \"$HOME/large\"").status == .success)
        withExtendedLifetime(disk) {}
    }

    @Test func `a limit that is nearly reached`() async throws {
        let scene = try await DoctorScene.healthy()
        try scene.writeConfiguration("[Log]\nlevel=info\n[Limits]\npasteboards=10\n")
        try await scene.endBroker()
        for number in 0..<8 { try await scene.run("ipc-client set board\(number) text") }
        let after = try await scene.expectMended("limit-near", "note", saying: "of 10 pasteboards")
        #expect(after.words == [])
        #expect(try FileContents.text(scene.configuration) == "[Log]\nlevel=info\n[Limits]\npasteboards=20\n")
    }
}
