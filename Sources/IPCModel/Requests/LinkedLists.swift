/// Doubly linked lists of distinct elements that share one table: to append, to take the first and to remove from the
/// middle cost the same at any length, and nothing is left behind.
struct LinkedLists<Element: Hashable & Sendable>: Sendable {
    /// The two ends of one list.
    struct Ends: Sendable, Hashable {
        fileprivate(set) var first: Element
        fileprivate(set) var last: Element
    }

    private struct Neighbours: Sendable {
        var previous: Element?
        var next: Element?
    }

    private var neighbours: [Element: Neighbours] = [:]

    /// How many elements all lists have together.
    var count: Int { neighbours.count }

    func contains(_ element: Element) -> Bool { neighbours[element] != nil }

    /// Puts an element that is in no list at the end of one; nil is the empty list.
    mutating func append(_ element: Element, to list: inout Ends?) {
        neighbours[element] = Neighbours(previous: list?.last)
        if let last = list?.last {
            neighbours[last]?.next = element
            list?.last = element
        } else {
            list = Ends(first: element, last: element)
        }
    }

    /// The element behind another one.
    func next(after element: Element) -> Element? { neighbours[element]?.next }

    /// Puts an element that is in no list before one that is in this list; at its end for nil.
    mutating func insert(_ element: Element, before other: Element?, in list: inout Ends?) {
        guard let other, let around = neighbours[other] else { return append(element, to: &list) }
        neighbours[element] = Neighbours(previous: around.previous, next: other)
        neighbours[other]?.previous = element
        if let previous = around.previous { neighbours[previous]?.next = element } else { list?.first = element }
    }

    /// Takes an element out of the list that it is in.
    mutating func remove(_ element: Element, from list: inout Ends?) {
        guard let around = neighbours.removeValue(forKey: element) else { return }
        if let previous = around.previous { neighbours[previous]?.next = around.next }
        if let next = around.next { neighbours[next]?.previous = around.previous }
        switch (around.previous, around.next) {
        case (nil, nil): list = nil
        case (nil, let next?): list?.first = next
        case (let previous?, nil): list?.last = previous
        case (_?, _?): break
        }
    }
}
