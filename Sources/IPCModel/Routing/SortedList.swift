/// Distinct elements in their order, in chunks of bounded size: to insert and to remove costs the same with ten
/// elements and with a hundred thousand, and a page is found without a scan.
struct SortedList<Element: Comparable & Sendable>: Sendable {
    /// The most elements of a chunk; one more splits it.
    private static var chunkSize: Int { 512 }

    /// No chunk is empty; each element of a chunk precedes those of the next.
    private var chunks: [[Element]] = []

    /// How many elements there are.
    private(set) var count = 0

    /// Inserts an element that is not there yet; one that is stays as it is.
    mutating func insert(_ element: Element) {
        guard !chunks.isEmpty else {
            chunks = [[element]]
            count = 1
            return
        }
        let chunk = chunkIndex(for: element)
        let position = chunks[chunk].partitioningIndex { !($0 < element) }
        if position < chunks[chunk].count && chunks[chunk][position] == element { return }
        chunks[chunk].insert(element, at: position)
        count += 1
        if chunks[chunk].count > Self.chunkSize { split(chunk) }
    }

    /// Removes an element; one that is not there changes nothing.
    mutating func remove(_ element: Element) {
        guard !chunks.isEmpty else { return }
        let chunk = chunkIndex(for: element)
        let position = chunks[chunk].partitioningIndex { !($0 < element) }
        guard position < chunks[chunk].count, chunks[chunk][position] == element else { return }
        chunks[chunk].remove(at: position)
        count -= 1
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// Up to `limit` elements from the first one behind `element` on; from the very first without one.
    func page(after element: Element?, limit: Int) -> [Element] {
        var page: [Element] = []
        let first = element.map(chunkIndex) ?? 0
        for chunk in chunks.dropFirst(first) {
            let start = element.map { after in chunk.partitioningIndex { $0 > after } } ?? 0
            page += chunk[start...].prefix(limit - page.count)
            if page.count >= limit { break }
        }
        return page
    }

    /// The chunk that holds the element or has to take it: the last one that does not start behind it.
    private func chunkIndex(for element: Element) -> Int {
        max(0, chunks.partitioningIndex { $0[0] > element } - 1)
    }

    private mutating func split(_ chunk: Int) {
        let middle = chunks[chunk].count / 2
        chunks.insert(Array(chunks[chunk][middle...]), at: chunk + 1)
        chunks[chunk].removeSubrange(middle...)
    }
}

extension Array {
    /// The first index whose element fulfils a condition that all elements behind it fulfil too; binary search.
    func partitioningIndex(where belongsBehind: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if belongsBehind(self[middle]) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }
}
