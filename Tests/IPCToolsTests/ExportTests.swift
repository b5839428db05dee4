import Glibc
import IPC
import IPCModel
import IPCTesting
import Testing

@testable import IPCTools

@Suite("The format of an export")
struct ExportTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private static let version = ExportRecord.Version(
        changeCount: .max, time: 1_769_860_800_000, expires: 5, application: "demo.A", strength: "owned", leftOut: nil,
        items: [
            [
                .init(type: "text/plain;charset=utf-8", content: .text("tab\tnl\n\u{2028}\"\\ e\u{301}\r\n")),
                .init(type: "image/png", content: .bytes([0, 255, 10])),
            ],
            [.init(type: "text/html", content: .blob(digest: "xxh128:00", byteCount: .max, isText: true))],
        ])

    @Test(arguments: [
        ExportRecord.header(format: 1), .pasteboard(name: "日本 / \"x\"", isPersistent: true, historyLimit: 100),
        .version(version),
        .version(
            .init(
                changeCount: 0, time: nil, expires: nil, application: "", strength: "unknown", leftOut: "once",
                items: [])),
        .registration(scheme: "Demo", application: "a.B"), .choice(scheme: "x", application: "a.B"),
        .end(lines: 7, digest: "xxh128:11", changeCount: .max),
    ])
    func everyRecordSurvivesARoundTrip(_ record: ExportRecord) throws {
        let line = record.json.text
        #expect(!line.contains("\n"))
        #expect(ExportRecord(try JSONValue(parsing: line)) == record)
    }

    @Test(arguments: [
        #"{"record":"other"}"#, "{}", "[]",
        #"{"record":"pasteboard","pasteboard":"x","persistent":1,"history-limit":1}"#,
        #"{"record":"pasteboard","pasteboard":"x","persistent":true,"history-limit":4294967296}"#,
        #"{"record":"version","change-count":"1","source-application":"","source-strength":"","items":[[{}]]}"#,
        #"{"record":"version","change-count":1.5,"source-application":"","source-strength":"","items":[]}"#,
        #"{"record":"version","change-count":"1","expires":-1,"source-application":"","source-strength":"","items":[]}"#,
        #"{"record":"version","change-count":"1","source-application":"","source-strength":"","items":[[{"type":"a/b","base64":"Z"}]]}"#,
        #"{"record":"end","lines":"1","digest":"x"}"#,
    ])
    func otherLinesAreNotRecords(_ line: String) throws {
        #expect(ExportRecord(try JSONValue(parsing: line)) == nil)
    }

    private static let items: [PasteboardItem] = [
        .string("short \u{85}\n"), .string(String(repeating: "é", count: 40_000)), .data([]), .data([0, 255]),
        .data([UInt8](repeating: 9, count: 4_097)), .data([UInt8](repeating: 8, count: 65_536)),
    ]

    /// Writes an export of one pasteboard; each of its versions has one item.
    private func export(_ path: String) throws {
        let export = try ExportFolder(creating: path)
        try export.add(.pasteboard(name: "board", isPersistent: true, historyLimit: 10))
        for (number, item) in Self.items.enumerated() {
            let values = try item.representations.map { try export.value($0) }
            try export.add(
                .version(
                    .init(
                        changeCount: UInt64(number), time: nil, expires: nil, application: "", strength: "unknown",
                        leftOut: nil, items: [values])))
        }
        #expect(export.blobs == 3)
        try export.finish(changeCount: 42)
    }

    @Test func contentComesBackByteForByte() throws {
        let path = folder.appending("export")
        try export(path)
        var reader = try ExportReader(path)
        #expect(reader.changeCount == 42)
        var seen = 0
        try reader.verify { _ in seen += 1 }
        #expect(seen == Self.items.count + 2)
        var items: [PasteboardItem] = []
        while let record = try reader.next() {
            if case .version(let version) = record { items += try reader.items(of: version) }
        }
        #expect(items == Self.items)
    }

    @Test func isReadableOnlyByTheUser() throws {
        let path = folder.appending("export")
        try export(path)
        for name in ["", "/store.jsonl", "/blobs"] {
            var status = stat()
            #expect(stat(path + name, &status) == 0 && status.st_mode & 0o077 == 0)
        }
    }

    @Test func aFolderWithContentIsNotChanged() throws {
        _ = try folder.file("something", [1])
        let failure = #expect(throws: ToolFailure.self) { _ = try ExportFolder(creating: folder.path) }
        #expect(failure?.exit == .cannotCreate)
    }

    /// In a folder such as /tmp, another user can put a link at the path of an export.
    @Test(.enabled(if: geteuid() == 0, "only root can make a link of another user"))
    func aLinkOfAnotherUserIsNotFollowed() throws {
        let (target, link) = (try folder.makeDirectory("target"), folder.appending("link"))
        #expect(symlink(target, link) == 0 && lchown(link, 65_534, 65_534) == 0)
        for path in [link, link + "/"] {
            let failure = #expect(throws: ToolFailure.self) { _ = try ExportFolder(creating: path) }
            #expect(failure?.exit == .cannotCreate)
        }
        // The control: a link of the user.
        #expect(lchown(link, 0, 0) == 0)
        _ = try ExportFolder(creating: link)
    }

    /// Each kind of damage is found on its own. The negative control is the test above, which reads an undamaged
    /// export.
    @Test(arguments: ["flip", "cut line", "cut byte", "drop line", "blob flip", "blob cut", "blob gone", "unfinished"])
    func damageIsFound(_ damage: String) throws {
        let path = folder.appending("export")
        try export(path)
        let table = path + "/store.jsonl"
        var bytes = try InputFile.read(table).content
        let blob = try #require(blobs(path).first)
        switch damage {
        case "flip": bytes[bytes.count / 2] ^= 1
        case "cut line": bytes = Array(bytes[...bytes.dropLast().lastIndex(of: 10)!])
        case "cut byte": bytes.removeLast()
        case "drop line":
            let start = bytes.firstIndex(of: 10)! + 1
            bytes.removeSubrange(start...bytes[start...].firstIndex(of: 10)!)
        case "blob flip":
            var content = try InputFile.read(blob).content
            content[content.count - 1] ^= 1
            try FileContents.write(content, to: blob)
        case "blob cut": truncate(blob, 10)
        case "blob gone": unlink(blob)
        default: rename(table, table + ".unfinished")
        }
        if damage != "unfinished" { try FileContents.write(bytes, to: table) }
        let failure = #expect(throws: ToolFailure.self) {
            let reader = try ExportReader(path)
            try reader.verify { _ in }
        }
        #expect(failure?.exit == (damage == "unfinished" ? .noInput : .dataError))
    }

    /// If damage is found only while items are read, some items may already be imported. The message must not deny
    /// that.
    @Test func damageDetectedLaterMakesNoClaimAboutTheImport() throws {
        let path = folder.appending("export")
        try export(path)
        var reader = try ExportReader(path)
        try reader.verify { _ in }
        for blob in blobs(path) { unlink(blob) }
        let failure = #expect(throws: ToolFailure.self) {
            while let record = try reader.next() {
                if case .version(let version) = record { _ = try reader.items(of: version) }
            }
        }
        #expect(failure?.message.contains("damaged") == true && failure?.message.contains("imported") == false)
    }

    private func blobs(_ path: String) -> [String] {
        (FileContents.names(in: path + "/blobs") ?? []).map { "\(path)/blobs/\($0)" }
    }
}
