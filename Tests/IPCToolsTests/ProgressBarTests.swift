import Synchronization
import Testing

@testable import IPCTools

/// Tests with a clock that the test sets, and a terminal that only records what is written.
@Suite("Progress bar")
struct ProgressBarTests {
    private final class FakeTerminal: Sendable {
        private let written = Mutex<[String]>([])
        private let time = Mutex(Duration.zero)
        private let start = ContinuousClock.now

        var lines: [String] { written.withLock { $0 } }
        func bar(_ total: UInt64?, columns: Int = 80) -> ProgressBar {
            ProgressBar(
                "reading", total: total,
                on: ProgressTerminal(
                    columns: { columns }, write: { line in self.written.withLock { $0.append(line) } }),
                now: { self.start.advanced(by: self.time.withLock { $0 }) })
        }
        func wait(_ milliseconds: Int) { time.withLock { $0 += .milliseconds(milliseconds) } }
    }

    @Test func isSilentForHalfASecond() {
        let terminal = FakeTerminal()
        var bar = terminal.bar(1_000)
        bar.update(to: 0)
        terminal.wait(499)
        bar.update(to: 500)
        bar.finish()
        #expect(terminal.lines.isEmpty)
    }

    @Test func showsTheProgressAndErasesItself() {
        let terminal = FakeTerminal()
        var bar = terminal.bar(4 << 20)
        terminal.wait(1_000)
        bar.update(to: 1 << 20)
        #expect(
            terminal.lines == [
                "\rreading  25%  [=====                 ]  1.0 MiB of 4.0 MiB  1.0 MiB/s  3 s left\u{1B}[K"
            ])
        bar.finish()
        #expect(terminal.lines.last == "\r\u{1B}[K")
        bar.finish()
        #expect(terminal.lines.count == 2)
    }

    @Test func writesAtMostTenTimesASecond() {
        let terminal = FakeTerminal()
        var bar = terminal.bar(1 << 30)
        for step in 0..<2_000 {
            terminal.wait(1)
            bar.update(to: UInt64(step))
        }
        // The bar is shown after 0.5 s, and then every 0.1 s until 2 s.
        #expect((14...16).contains(terminal.lines.count))
    }

    @Test(arguments: [1, 2, 5, 12, 20, 30, 40, 60, 79, 80, 100, 300])
    func fitsTheTerminal(_ columns: Int) {
        for total in [nil, 0, 1, 5 << 30] as [UInt64?] {
            let terminal = FakeTerminal()
            var bar = terminal.bar(total, columns: columns)
            for done in [0, 1, 3 << 30, 5 << 30, 6 << 30] as [UInt64] {
                terminal.wait(700)
                bar.update(to: done)
            }
            #expect(terminal.lines.count == 5)
            // Four characters take no column: a carriage return at the start, and the escape sequence that clears the
            // rest.
            #expect(terminal.lines.allSatisfy { $0.count - 4 <= max(0, columns - 1) })
        }
    }

    @Test func withoutATotalShowsTheAmount() {
        let terminal = FakeTerminal()
        var bar = terminal.bar(nil)
        terminal.wait(2_000)
        bar.update(to: 3 << 20)
        #expect(terminal.lines == ["\rreading  3.0 MiB  1.5 MiB/s\u{1B}[K"])
    }

    @Test func withoutATerminalIsSilent() {
        var bar = ProgressBar("reading", total: 10, on: nil)
        bar.update(to: 5)
        bar.finish()
    }
}
