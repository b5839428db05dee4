import Testing

@testable import Terminal

@Suite struct FieldTests {
    @Test func `label, text and cursor are on one line`() {
        let field = Field(label: "名前: ", editor: LineEditor("日本", cursor: 1))
        #expect(field.drawing(columns: 20) == "\r\u{1B}[K名前: 日本\r\u{1B}[8C")
    }

    @Test func `a long label leaves room for the text`() {
        let field = Field(label: String(repeating: "l", count: 30), editor: LineEditor("abcdefghijk"))
        #expect(field.drawing(columns: 12) == "\r\u{1B}[Kllllefghijk\r\u{1B}[11C")
    }
}

@Suite struct EventQueueTests {
    @Test func `events arrive in order, and the sequence ends`() async {
        let queue = EventQueue()
        queue.add(.key(.up))
        queue.add(.resumed)
        queue.end()
        var seen: [TerminalEvent] = []
        for await event in TerminalEvents(queue: queue) { seen.append(event) }
        #expect(seen == [.key(.up), .resumed])
    }

    @Test func `typed keys can be discarded, but other events are kept`() async {
        let queue = EventQueue()
        let ending = TerminalEvent.interrupted(signal: 2)
        for event in [.key(.enter), .resumed, .paste("x"), ending] as [TerminalEvent] { queue.add(event) }
        queue.removeTyped()
        #expect(await queue.next() == .resumed)
        #expect(await queue.next() == ending)
    }

    @Test func `a cancelled reader takes no event from the next one`() async {
        let queue = EventQueue()
        let first = Task { await queue.next() }
        first.cancel()
        #expect(await first.value == nil)
        async let second = queue.next()
        queue.add(.key(.enter))
        #expect(await second == .key(.enter))
    }
}
