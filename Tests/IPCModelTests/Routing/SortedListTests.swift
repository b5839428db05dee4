import IPCTesting
import Testing

@testable import IPCModel

@Suite("SortedList")
struct SortedListTests {
    @Test("The list matches a sorted set after random operations", arguments: 1...6 as ClosedRange<UInt64>)
    func model(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var list = SortedList<Int>()
        var model: Set<Int> = []
        // The list grows over several chunks, then shrinks until it is empty.
        for step in 0..<12_000 {
            let element = Int.random(in: 0..<4_000, using: &generator)
            if Int.random(in: 0..<12_000, using: &generator) > step {
                list.insert(element)
                model.insert(element)
            } else {
                list.remove(element)
                model.remove(element)
            }
            try #require(list.page(after: nil, limit: .max).count == model.count)
            if step.isMultiple(of: 500) { try #require(list.page(after: nil, limit: .max) == model.sorted()) }
        }
        for element in model { list.remove(element) }
        try #require(list.page(after: nil, limit: 10).isEmpty)
    }

    @Test("Pages follow one another without a gap, whatever their size", arguments: [1, 2, 7, 511, 512, 513, 5_000])
    func pages(size: Int) {
        var list = SortedList<Int>()
        for element in (0..<3_000).reversed() { list.insert(element * 2) }
        var found: [Int] = []
        while case let page = list.page(after: found.last, limit: size), !page.isEmpty {
            #expect(page.count <= size)
            found += page
        }
        #expect(found == (0..<3_000).map { $0 * 2 })
        #expect(list.page(after: 3, limit: 2) == [4, 6], "the element behind which a page starts may be gone")
        #expect(list.page(after: -1, limit: 1) == [0])
        #expect(list.page(after: 5_998, limit: 1).isEmpty)
        #expect(list.page(after: nil, limit: 0).isEmpty)
    }
}
