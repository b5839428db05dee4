import Foundation
import InstallID
import Testing

struct RecordTests {
    private let id = UUID()

    @Test func anIDIsALowercaseUUID() throws {
        #expect(id.text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(UUID(uuidString: id.text) == id)
        #expect(UUID(uuidString: id.text.uppercased()) == id)
        #expect(UUID() != id)
    }

    @Test func aRecordSurvivesARoundTrip() {
        for record in [Record.file(id), .keyring] { #expect(Record(record.text) == record) }
    }

    @Test(arguments: [
        "", "\n", "keyring", "keyring\n\n", "Keyring\n", "6f1c2b9e-3d0a-4c56-9a41-0f6d8f5e7b21", "\0\0\0",
        "x\n", "6f1c2b9e\n", "6f1c2b9e-3d0a-4c56-9a41-0f6d8f5e7b2\n", "６f1c2b9e-3d0a-4c56-9a41-0f6d8f5e7b21\n",
    ])
    func otherTextIsNotARecord(_ text: String) { #expect(Record(text) == nil) }
}

struct RecordFileTests {
    private func path(_ environment: [String: String]) throws -> String {
        try RecordFile(of: "a.B", environment: environment).path
    }

    @Test func theFileIsInTheStateHome() throws {
        #expect(try path(["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/install-id/a.B")
        #expect(try path(["HOME": "/h"]) == "/h/.local/state/install-id/a.B")
        #expect(try path(["XDG_STATE_HOME": "relative", "HOME": "/h"]) == "/h/.local/state/install-id/a.B")
        #expect(throws: InstallationFailure.noHome) { try path(["XDG_STATE_HOME": "", "HOME": "h"]) }
    }

    private func inTemporaryFolder(_ body: (RecordFile) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(component: "install-id-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(try RecordFile(of: "a.B", environment: ["XDG_STATE_HOME": folder]))
    }

    @Test func theFirstRecordIsKept() async throws {
        try await inTemporaryFolder { file in
            #expect(try file.read() == nil)
            let first = Record.file(UUID())
            #expect(try file.publish(first) == first)
            #expect(try file.publish(.keyring) == first)
            #expect(try file.read() == first)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let folder = (file.path as NSString).deletingLastPathComponent
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.B"], "no draft is left")
            #expect(try file.remove())
            #expect(try !file.remove())
            #expect(try file.publish(.keyring) == .keyring)
        }
    }

    @Test func concurrentWritersCreateOneRecord() async throws {
        try await inTemporaryFolder { file in
            let standing = try await withThrowingTaskGroup(of: Record.self) { group in
                for _ in 0..<64 { group.addTask { try file.publish(.file(UUID())) } }
                return try await group.reduce(into: Set<Record>()) { $0.insert($1) }
            }
            #expect(standing.count == 1)
            #expect(try file.read() == standing.first)
        }
    }

    @Test func aFileWithOtherContentIsNotOverwritten() async throws {
        try await inTemporaryFolder { file in
            _ = try file.publish(.keyring)
            try "half an i".write(toFile: file.path, atomically: false, encoding: .utf8)
            #expect(throws: InstallationFailure.damaged(path: file.path)) { try file.read() }
            #expect(throws: InstallationFailure.damaged(path: file.path)) { try file.publish(.keyring) }
            #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "half an i")
        }
    }
}
