import IPCTesting
import Testing

@Suite struct SystemCallRecordingTests {
    /// The output of strace 6.1 for a program with two threads that was killed at the end.
    private let recorded = #"""
        27693 1795264290.583654 pwrite64(5<\x2f\x78\x2c\x20\x28\x79\x5d\x2d\x77\x61\x6c>, "\x61\x22\x62\x2c\x20\x63\x29", 7, 0 <unfinished ...>
        27694 1795264290.585836 pwrite64(6</tmp/x, (y]-wal>, "a\"b, c)\0\12", 9, 0) = 9
        27693 1795264290.585928 <... pwrite64 resumed>) = 7
        27693 1795264290.586000 fdatasync(5</tmp/x-wal>(deleted) <unfinished ...>
        27694 1795264290.586749 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---
        27694 1795264290.587548 +++ exited with 0 +++
        27692 1795264290.587559 sendmsg(3<UNIX-STREAM:[93991->93992,"/run/bus"]>, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base="\x6c\x02", iov_len=2}, {iov_base="\x30\x31\x32"..., iov_len=16}], msg_iovlen=2, msg_controllen=0, msg_flags=0}, MSG_NOSIGNAL <unfinished ...>
        27693 1795264290.587726 <... fdatasync resumed>) = 0
        27692 1795264290.587800 <... sendmsg resumed>) = 18
        27692 1795264290.587872 recvmsg(4<UNIX-STREAM:[93992->93991]>,  <unfinished ...>
        27692 1795264290.587872 <... recvmsg resumed>{msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base="\x6c\x02\x61", iov_len=100}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0) = 3
        27692 1795264290.588365 write(99, "\x78", 1) = -1 EBADF (Bad file descriptor)
        27692 1795264290.588400 fdatasync(5</tmp/x-wal>) = ?
        27691 1795264290.588500 pwrite64(5</tmp/x-wal>, "\x61", 1, 0 <unfinished ...>
        27692 1795264290.589162 +++ killed by SIGKILL +++
        """#

    @Test func `calls are assembled from their lines`() throws {
        let events = SystemCallRecording(text: recorded).events
        #expect(
            events.map(\.name) == [
                "pwrite64", "pwrite64", "fdatasync", "sendmsg", "recvmsg", "write", "fdatasync", "pwrite64",
            ])
        #expect(events.map(\.result) == [7, 9, 0, 18, 3, -1, nil, nil])
        #expect(events[0].path == "/x, (y]-wal")
        #expect(events[1].path == "/tmp/x, (y]-wal")
        #expect(events[0].thread == 27693)
        #expect(events[0].time == 1795264290.583654)
        #expect(events[3].path == "UNIX-STREAM:[93991->93992,\"/run/bus\"]")
        #expect(events[5].path == nil)
    }

    @Test func `transferred bytes are read in either notation, and truncated ones are counted`() throws {
        let events = SystemCallRecording(text: recorded).events
        #expect(events[0].data == [.bytes(Array("a\"b, c)".utf8))])
        #expect(events[1].data == [.bytes(Array("a\"b, c)\0\n".utf8))])
        #expect(events[3].data == [.bytes([0x6c, 2]), .bytes(Array("012".utf8)), .missing(13)])
        #expect(events[4].data == [.bytes([0x6c, 2, 0x61])])
        #expect(events[5].data == [])
    }

    @Test func `starts and ends of calls follow the order of the lines`() throws {
        let events = SystemCallRecording(text: recorded).events
        #expect(events[0].begin < events[1].begin && events[1].end < events[0].end)
        #expect(events[0].end < events[2].begin)
        #expect(events[2].begin < events[3].begin && events[3].begin < events[2].end && events[2].end < events[3].end)
        #expect(events[6].end == .max && events[7].end == .max)
    }

    @Test func `messages are found across the boundaries of calls`() throws {
        var trace = TraceText()
        let hello = Wire.reply(serial: 1, to: 1, destination: ":1.0")
        let call = Wire.call(serial: 7, member: "SetItems", sender: ":1.5", body: Array("one".utf8))
        let other = Wire.call(serial: 8, member: "Clear", sender: ":1.6")
        let answer = Wire.reply(serial: 20, to: 7, destination: ":1.5")
        trace.send(Array("\0AUTH EXTERNAL 30\r\n".utf8))
        trace.receive(Array("OK 1234\r\n".utf8))
        trace.send(Array("BEGIN\r\n".utf8))
        let stream = call + other
        trace.receive(hello)
        trace.receive(Array(stream[..<10]))
        trace.receive(Array(stream[10..<(call.count + 20)]))
        trace.receive(Array(stream[(call.count + 20)...]))
        trace.send(answer)
        let recording = SystemCallRecording(text: trace.text)
        #expect(recording.messages.map(\.message.serial) == [1, 7, 8, 20])
        #expect(recording.messages.map(\.message.member) == [nil, "SetItems", "Clear", nil])
        #expect(recording.messages[1].message.body == Array("one".utf8))
        let found = try #require(recording.answers.first)
        #expect(recording.answers.count == 1)
        #expect(found.member == "SetItems")
        #expect(found.call?.message.sender == ":1.5")
        #expect(found.answer.message.destination == ":1.5")
        #expect(found.answer.message.signature == "t")
        #expect(found.answer.message.kind == .methodReturn)
    }

    @Test func `a large body that the trace truncates does not hide the next message`() throws {
        var trace = TraceText()
        let large = Wire.call(serial: 1, member: "Large", sender: ":1.5", body: [UInt8](repeating: 120, count: 9000))
        trace.receive(large, shown: 300)
        trace.receive(Wire.call(serial: 2, member: "Next", sender: ":1.5"))
        let messages = SystemCallRecording(text: trace.text).messages
        #expect(messages.map(\.message.member) == ["Large", "Next"])
        #expect(messages[0].message.body.count < 300)
    }
}
