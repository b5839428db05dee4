/// An object that can be in a ``DeadlineQueue``.
public protocol Deadlined: AnyObject {
    /// The object's index in the queue; -1 while it is not in a queue.
    var deadlineIndex: Int { get set }
}

/// Objects with deadlines, earliest first: a binary heap in which each object knows its index. Insertion, removal and
/// expiry take logarithmic time. Objects with equal deadlines keep their order of insertion.
public struct DeadlineQueue<Element: Deadlined> {
    public typealias Instant = ContinuousClock.Instant

    /// An object in the heap. Its deadline is stored beside it, because most of the work is comparing deadlines.
    @usableFromInline struct Entry {
        @usableFromInline let deadline: Instant
        @usableFromInline let number: UInt64
        @usableFromInline let element: Element

        @inlinable init(_ element: Element, _ deadline: Instant, _ number: UInt64) {
            (self.element, self.deadline, self.number) = (element, deadline, number)
        }

        @inlinable func precedes(_ other: Entry) -> Bool {
            deadline < other.deadline || deadline == other.deadline && number < other.number
        }
    }

    @usableFromInline var heap: [Entry] = []
    @usableFromInline var last: UInt64 = 0

    @inlinable public init() {}

    @inlinable public var count: Int { heap.count }

    /// The earliest deadline; `nil` if the queue is empty.
    @inlinable public var first: Instant? { heap.first?.deadline }

    @inlinable public var firstElement: Element? { heap.first?.element }

    /// Adds an object, or gives an object that is already in the queue an earlier deadline. A later one has no effect.
    @inlinable public mutating func insert(_ element: Element, at deadline: Instant) {
        let index = element.deadlineIndex
        guard index < 0 || deadline < heap[index].deadline else { return }
        last += 1
        let entry = Entry(element, deadline, last)
        if index < 0 { heap.append(entry) }
        rise(entry, from: index < 0 ? heap.count - 1 : index)
    }

    /// Removes an object if it is in the queue.
    @inlinable public mutating func remove(_ element: Element) {
        let index = element.deadlineIndex
        guard index >= 0 else { return }
        element.deadlineIndex = -1
        let last = heap.removeLast()
        guard last.element !== element else { return }
        if index > 0, last.precedes(heap[(index - 1) / 2]) { rise(last, from: index) } else { sink(last, from: index) }
    }

    /// Removes and returns the object with the earliest deadline; `nil` if that deadline has not passed.
    @inlinable public mutating func takeDue(at now: Instant) -> Element? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        remove(first.element)
        return first.element
    }

    /// Moves a gap up the heap until the entry fits into it, and puts the entry there.
    @inlinable mutating func rise(_ entry: Entry, from gap: Int) {
        var gap = gap
        while gap > 0, entry.precedes(heap[(gap - 1) / 2]) {
            put(heap[(gap - 1) / 2], at: gap)
            gap = (gap - 1) / 2
        }
        put(entry, at: gap)
    }

    /// Moves a gap down the heap until the entry fits into it, and puts the entry there.
    @inlinable mutating func sink(_ entry: Entry, from gap: Int) {
        var gap = gap
        while 2 * gap + 1 < heap.count {
            var child = 2 * gap + 1
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(entry) else { break }
            put(heap[child], at: gap)
            gap = child
        }
        put(entry, at: gap)
    }

    @inlinable mutating func put(_ entry: Entry, at index: Int) {
        heap[index] = entry
        entry.element.deadlineIndex = index
    }
}
