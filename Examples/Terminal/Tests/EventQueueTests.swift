import Testing

@testable import Terminal

@Suite struct EventQueueTests {
    @Test func `events arrive in order, and the queue ends`() async {
        let queue = EventQueue()
        queue.add(.key(.up))
        queue.add(.resumed)
        queue.end()
        var seen: [TerminalEvent] = []
        while let event = await queue.next() { seen.append(event) }
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

@Suite struct ColorTests {
    @Test(
        arguments: [
            (.palette(9), 256, 9), (.palette(9), 8, 1), (.rgb(red: 255, green: 0, blue: 0), 256, 196),
            (.rgb(red: 255, green: 0, blue: 0), 8, 1), (.rgb(red: 0, green: 70, blue: 140), 256, 24),
            (.rgb(red: 0, green: 0, blue: 0), 256, 16), (.rgb(red: 255, green: 255, blue: 255), 256, 231),
            (.rgb(red: 127, green: 128, blue: 129), 256, 244), (.rgb(red: 255, green: 255, blue: 255), 8, 7),
        ] as [(Color, Int, Int32)])
    func `the nearest colour of the terminal is used`(color: Color, count: Int, number: Int32) {
        #expect(color.number(of: count) == number)
    }
}
