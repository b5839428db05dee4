import IPCDBus
import Testing

struct LineTests {
    @Test(arguments: [1, 10, 5_000]) func `what comes first goes first, however the line grows`(_ count: Int) {
        var line = Line<Int>()
        var (added, taken) = (0, 0)
        for _ in 0..<count {
            for _ in 0..<3 {
                line.append(added)
                added += 1
            }
            for _ in 0..<2 {
                #expect(line.takeFirst() == taken)
                taken += 1
            }
        }
        #expect(line.count == count && !line.isEmpty)
        while let next = line.takeFirst() {
            #expect(next == taken)
            taken += 1
        }
        #expect(taken == added && line.isEmpty && line.count == 0)
    }

    @Test func `what has gone is let go at once`() {
        final class Thing {}
        var line = Line<Thing>()
        weak var first: Thing?
        do {
            let thing = Thing()
            first = thing
            line.append(thing)
        }
        line.append(Thing())
        #expect(first != nil)
        _ = line.takeFirst()
        #expect(first == nil)
    }
}
