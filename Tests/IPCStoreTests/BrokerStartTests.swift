import Foundation
import IPCModel
import IPCStore
import IPCTesting
import Testing

/// Starts of the broker in unusual conditions: limits of the process, a umask, and a clock that was set back.
@Suite(.privateBus)
struct BrokerStartTests {
    @Test func `I23: a file size limit ends the broker with an error, not with a signal`() async throws {
        let (bus, broker) = (try PrivateBus.current, try Binaries.path("ipc-broker"))
        let result = try await RunningProcess.run(
            "bash", ["-c", "ulimit -f 1; exec \(broker) --store \(bus.directory.appending("store"))"],
            environment: bus.environment)
        #expect(result.status == .exited(74) && result.errors.contains("error: "), "\(result)")
    }

    @Test func `files are private and usable whatever the umask is`() async throws {
        let bus = try PrivateBus.current
        let wrapper = bus.directory.appending("broker")
        try FileContents.write("#!/bin/sh\numask 0777\nexec \(try Binaries.path("ipc-broker")) \"$@\"\n", to: wrapper)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: wrapper)
        var settings = BrokerProcess.Settings()
        settings.executable = wrapper
        let broker = try await BrokerProcess.start(on: bus, settings)
        for (file, mode) in ["": 0o700, "/blobs": 0o700, "/store.sqlite": 0o600, "/store.sqlite-wal": 0o600] {
            let found = try FileManager.default.attributesOfItem(atPath: broker.store + file)[.posixPermissions] as? Int
            #expect(found == mode, "\(file)")
        }
        #expect(try await broker.terminate() == .success)
    }

    @Test func `I6: a queued request does not outlive its time to live because the clock was set back`() async throws {
        let (bus, place) = (try PrivateBus.current, try TestPlace())
        // The request was accepted at a time that has not come yet, and may wait for a second.
        place.clock.jump(100 * 365 * 86_400_000)
        let request = RequestRecord(
            id: .random(), arguments: ContentDigest(of: [1]), state: .queued,
            source: Source(application: "", strength: .unknown), application: "demo.Absent", url: "demo:x",
            timeout: 600_000, accepted: place.clock.now, expiresAt: place.clock.now + 1_000)
        let store = try place.open()
        try await store.accept(request, .none)
        try await store.close()
        var settings = BrokerProcess.Settings()
        settings.store = place.store
        let broker = try await BrokerProcess.start(on: bus, settings)
        let outcome = try await RunningProcess.run(
            "gdbus",
            [
                "call", "--session", "--dest", BrokerProcess.busName, "--object-path", "/org/swiftipc/Broker1",
                "--method", "org.swiftipc.URLs1.WaitRequest", request.id.text, "{'timeout': <uint32 15000>}",
            ], environment: bus.environment)
        #expect(outcome.output.contains("'expired'"), "\(outcome)")
        #expect(try await broker.terminate() == .success)
    }
}
