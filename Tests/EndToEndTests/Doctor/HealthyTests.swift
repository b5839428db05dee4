import IPCTesting
import Testing

/// The control for all other tests of `doctor`: in a healthy session, it finds nothing.
@Suite(.privateBus)
struct HealthyTests {
    @Test func `nothing is found in a healthy installation`() async throws {
        let scene = try await DoctorScene.healthy()
        let report = try await scene.examine()
        #expect(report.words == [], "\(report.output)")
        #expect(report.output.status == .success && report.output.output.isEmpty)
    }

    @Test func `--all reports each passed check once`() async throws {
        let scene = try await DoctorScene.healthy()
        let output = try await scene.run("ipc-client doctor --all --json")
        let findings = try output.lines.map(DoctorScene.Finding.init)
        #expect(findings.allSatisfy { $0.level == "ok" && $0.command == nil }, "\(output)")
        let words = findings.map(\.word)
        #expect(Set(words).count == words.count)
        #expect(Set(words).isSuperset(of: ["bus", "broker", "store", "claims", "desktop-entries", "desktop-cache"]))
        let plain = try await scene.run("ipc-client doctor --all")
        #expect(plain.lines.count == words.count && plain.lines.allSatisfy { $0.hasPrefix("ok\t") })
    }

    @Test func `the examination changes nothing`() async throws {
        let scene = try await DoctorScene.healthy()
        let list =
            "cd \(scene.bus.directory.path) && find . -not -path './run*' -type f -not -name '*-wal' "
            + "-not -name '*-shm' -exec sha256sum {} + | sort"
        _ = try await scene.examine()
        let before = try await scene.run(list).output
        _ = try await scene.examine()
        #expect(try await scene.run(list).output == before)
        #expect(!before.isEmpty)
    }
}
