import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Tests of the library on a connection that cannot pass descriptors, such as one through ssh.
@DBusActor
@Suite(.privateBus)
struct DescriptorlessTests {
    private let bus: PrivateBus
    private let broker = FakeBroker()

    init() throws { bus = try PrivateBus.current }

    @Test func `a direct connection is tried only if the bus passes descriptors`() async throws {
        let connection = try await broker.serve(on: .address(bus.address))
        for (address, tries) in [(BridgeAddress.of(bus.address, throughPipes: true), 0), (bus.address, 1)] {
            let application = try await Application.connect(id: "demo.Client", bus: .address(address))
            for _ in 0..<20 { #expect(try await application.canOpenURL("known:")) }
            #expect(broker.connects == tries, "\(address)")
            await application.close()
        }
        withExtendedLifetime(connection) {}
    }

    @Test func `options request descriptors only if the bus passes them`() async throws {
        let connection = try await broker.serve(on: .address(bus.address))
        for (address, asks) in [(BridgeAddress.of(bus.address, throughPipes: true), nil), (bus.address, true)] {
            let application = try await Application.connect(
                id: "demo.Client", schemes: ["client.demo"], bus: .address(address))
            #expect(broker.registered.last?.options.fd == asks)
            _ = try await application.open("known:")
            #expect(broker.opened.last?.options.fd == asks)
            await application.close()
        }
        withExtendedLifetime(connection) {}
    }
}
