import Glibc
import IPCTesting
import Testing

@testable import IPCDBus

@DBusActor
@Suite(.privateBus)
struct NameRegistryTests {
    private let name: BusName

    init() throws { name = BusName("org.example.Owner") }

    @Test(arguments: [(UInt32(1), true), (2, true), (4, true), (3, false), (9, false)])
    func aNameTakenByAnotherDuringALossIsLost(result: UInt32, isKept: Bool) async throws {
        let (names, lost) = (NameRegistry(), Collected<String>())
        names.lostHandlers.append { lost.add($0.text) }
        names.own(name, flags: 4)
        func restore(_ result: UInt32) async throws {
            let restored = try await names.restore { _, _ throws(CallError) in
                result
            } owner: { _ throws(CallError) in
                nil
            }
            names.announce(restored)
        }
        try await restore(result)
        lost.add("end")
        #expect(lost.elements == (isKept ? ["end"] : [name.text, "end"]))
        #expect((names.owned[name] != nil) == isKept)
        // After another reconnection, only the names that are still owned are requested, and no loss is reported again.
        try await restore(1)
        #expect(lost.elements.count == (isKept ? 1 : 2))
    }

    /// The owner connects through a symbolic link to the socket. The link is missing while another program takes the
    /// name.
    @Test func anOwnerThatReconnectsTooLateIsNotified() async throws {
        let bus = try PrivateBus.current
        let link = bus.directory.appending("link")
        #expect(symlink(bus.socketPath, link) == 0)
        let owner = try await Connection.open(.address("unix:path=\(link)"), reconnects: true)
        _ = try await owner.requestName(name)
        let (lost, back) = (Collected<String>(), Collected<Void>())
        owner.onNameLost { lost.add($0.text) }
        owner.onReconnect { back.add(()) }

        unlink(link)
        try await bus.kill()
        try await bus.startAgain()
        let rival = try await Connection.open(.address(bus.address))
        #expect(try await rival.requestName(name) == .primaryOwner)
        #expect(symlink(bus.socketPath, link) == 0)
        _ = try await back.wait(for: 1)
        #expect(try await lost.wait(for: 1) == [name.text])
        #expect(try await owner.owner(of: name) == rival.uniqueName)

        // The control: without a rival, the name returns to its owner, and nothing is reported.
        rival.close()
        // The bus may not have noticed yet that the rival has disconnected.
        try await withDeadline("free name") { while try await !owner.requestName(self.name).isOwner {} }
        try await bus.startAgain()
        _ = try await back.wait(for: 2)
        #expect(try await owner.owner(of: name) == owner.uniqueName)
        #expect(lost.elements.count == 1)
    }
}
