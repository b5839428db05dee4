import IPCTesting
import Testing

/// Tests the flush checker on short traces, correct and faulty ones.
@Suite struct FlushRuleTests {
    private func call(_ serial: UInt32, _ text: String = "") -> [UInt8] {
        Wire.call(serial: serial, member: "SetItems", sender: ":1.5", body: Array(text.utf8))
    }

    private func answer(_ serial: UInt32) -> [UInt8] {
        Wire.reply(serial: 100 + serial, to: serial, destination: ":1.5")
    }

    private func check(_ trace: TraceText, _ rule: FlushedWrites) -> FlushCheck {
        SystemCallRecording(text: trace.text).everyAnswerFollowsAFlush(writes: rule) { $0.member == "SetItems" }
    }

    private let content = FlushedWrites.containing { $0.call?.message.body ?? [] }

    @Test func `an answer after its flush is correct`() {
        var trace = TraceText()
        trace.receive(call(1, "one"))
        trace.write("frame header")
        trace.write("page with one")
        trace.flush()
        trace.send(answer(1))
        for rule in [FlushedWrites.allBefore, .oneSinceCall, content] {
            #expect(check(trace, rule).answers == 1)
            #expect(check(trace, rule).violations.isEmpty)
        }
    }

    @Test func `an answer before its flush is found`() {
        var trace = TraceText()
        trace.receive(call(1, "one"))
        trace.write("page with one")
        trace.send(answer(1))
        trace.flush()
        for rule in [FlushedWrites.allBefore, .oneSinceCall, content] {
            #expect(check(trace, rule).violations.count == 1)
        }
    }

    @Test func `an answer before its write is found, even if everything written is flushed`() {
        var trace = TraceText()
        trace.write("older page")
        trace.flush()
        trace.receive(call(1, "one"))
        trace.send(answer(1))
        trace.write("page with one")
        trace.flush()
        for rule in [FlushedWrites.allBefore, .oneSinceCall, content] {
            let found = check(trace, rule).violations
            #expect(found.count == 1)
            #expect(found.allSatisfy { $0.description.contains("before its change was written") })
        }
    }

    @Test func `a flush that started before the write does not count`() {
        var trace = TraceText()
        trace.receive(call(1, "one"))
        trace.beginFlush(by: 12)
        trace.write("page with one")
        trace.endFlush(by: 12)
        trace.send(answer(1))
        #expect(check(trace, .allBefore).violations.count == 1)
        #expect(check(trace, content).violations.count == 1)
    }

    @Test func `a flush that ends after the answer does not count`() {
        var trace = TraceText()
        trace.receive(call(1, "one"))
        trace.write("page with one")
        trace.beginFlush()
        trace.send(answer(1))
        trace.endFlush()
        #expect(check(trace, .allBefore).violations.count == 1)
        #expect(check(trace, .oneSinceCall).violations.count == 1)
    }

    @Test func `a failed flush and a flush of another file do not count`() {
        let failed = "-1 EIO (Input/output error)"
        for (path, result) in [(TraceText.log, failed), ("/var/other-wal", "0"), ("/var/store.sqlite", "0")] {
            var trace = TraceText()
            trace.receive(call(1, "one"))
            trace.write("page with one")
            trace.flush(path, result: result)
            trace.send(answer(1))
            #expect(check(trace, .allBefore).violations.count == 1)
        }
    }

    @Test func `a write of a later batch does not affect answers of the earlier batch`() {
        var trace = TraceText()
        trace.receive(call(1, "one"))
        trace.receive(call(2, "two"))
        trace.write("page with one")
        trace.flush()
        trace.write("page with one and two")
        trace.send(answer(1))
        trace.flush()
        trace.send(answer(2))
        #expect(check(trace, content).violations.isEmpty)
        #expect(check(trace, .oneSinceCall).violations.isEmpty)
        // The strict rule wrongly rejects this trace: the rule is only for a broker with one request in flight.
        #expect(check(trace, .allBefore).violations.count == 1)
    }

    @Test func `a flush of another write does not justify an answer`() {
        var trace = TraceText()
        trace.receive(call(1, "one"))
        trace.receive(call(2, "two"))
        trace.write("page with one")
        trace.flush()
        trace.send(answer(1))
        trace.send(answer(2))
        trace.write("page with one and two")
        trace.flush()
        #expect(check(trace, content).violations.count == 1)
        // The weak rule misses the fault: any flushed write since the call satisfies it.
        #expect(check(trace, .oneSinceCall).violations.isEmpty)
    }

    @Test func `signals, deliveries and other answers need no flush`() {
        var trace = TraceText()
        trace.receive(call(1, "one"))
        trace.receive(Wire.call(serial: 2, member: "GetItems", sender: ":1.5"))
        trace.write("page with one")
        trace.send(Wire.signal(serial: 50))
        trace.send(Wire.call(serial: 51, member: "OpenURL", sender: ":1.0"))
        trace.send(answer(2))
        trace.flush()
        trace.send(answer(1))
        let found = check(trace, .allBefore)
        #expect(found.answers == 1)
        #expect(found.violations.isEmpty)
    }
}
