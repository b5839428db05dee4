import Glibc
import IPCModel
import IPCTesting
import Logging
import Testing

@testable import IPCBroker

@Suite struct LogEntryTests {
    private let entry = LogEntry(
        time: Timestamp(millisecondsSince1970: 1_767_225_600_123), level: .notice,
        message: "a “message”\nwith\u{1B}[0m", fields: ["b": "2", "a": "1\"\n"])

    @Test func `a text has time, level, message and sorted fields on one line, without control characters`() {
        let line = entry.line(.text, isForJournal: false)
        #expect(line.hasPrefix("2026-01-01T00:00:00.123Z notice: a “message”"))
        #expect(line.hasSuffix(", b=2)\n"))
        #expect(line.filter(\.isNewline).count == 1 && !line.contains("\u{1B}"))
    }

    @Test func `JSON has time, level, message and fields on one line`() throws {
        let line = entry.line(.json, isForJournal: false)
        let json = try #require(try? JSONValue(parsing: line))
        #expect(json["time"]?.string == "2026-01-01T00:00:00.123Z" && json["level"]?.string == "notice")
        #expect(json["message"]?.string == entry.message && json["fields"]?["a"]?.string == entry.fields["a"])
        #expect(line.filter(\.isNewline).count == 1)
    }

    @Test(arguments: [
        (Logger.Level.critical, 2), (.error, 3), (.warning, 4), (.notice, 5), (.info, 6), (.debug, 7), (.trace, 7),
    ])
    func `for the journal, a line starts with the priority of syslog`(level: Logger.Level, priority: Int) {
        let entry = LogEntry(time: .now, level: level, message: "x", fields: ["y": "z"])
        #expect(entry.line(.text, isForJournal: true) == "<\(priority)>x (y=z)\n")
        #expect(entry.line(.json, isForJournal: true).hasPrefix("<\(priority)>{\"time\":"))
    }

    @Test func `a descriptor is the journal's if JOURNAL_STREAM names its device and inode`() throws {
        let file = try TemporaryDirectory("log")
        let descriptor = open(file.path, O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(LogOutput.isJournal(descriptor, stream))
        #expect(!LogOutput.isJournal(descriptor, nil) && !LogOutput.isJournal(descriptor, ""))
        #expect(!LogOutput.isJournal(descriptor, "\(status.st_dev):\(status.st_ino + 1)"))
        #expect(!LogOutput.isJournal(-1, stream))
    }
}
