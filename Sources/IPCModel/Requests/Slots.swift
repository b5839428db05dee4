/// The position of an element in ``Slots``.
struct Slot: Sendable, Hashable {
    fileprivate let index: Int32

    static let none = Slot(index: -1)
}

/// Elements that keep their positions until removed. Free positions are reused. An empty collection frees its memory.
struct Slots<Element: Sendable & Equatable>: Sendable, Equatable {
    private var elements: [Element?] = []
    private var free: [Slot] = []

    subscript(slot: Slot) -> Element {
        get { elements[Int(slot.index)]! }
        _modify { yield &elements[Int(slot.index)]! }
    }

    mutating func add(_ element: Element) -> Slot {
        if let slot = free.popLast() {
            elements[Int(slot.index)] = element
            return slot
        }
        elements.append(element)
        return Slot(index: Int32(elements.count - 1))
    }

    mutating func remove(_ slot: Slot) {
        elements[Int(slot.index)] = nil
        free.append(slot)
        // Keep a small array, because it would soon have to be allocated again.
        if free.count == elements.count, free.count > 64 { (elements, free) = ([], []) }
    }

    /// The position of the first matching element, found in linear time; `nil` if there is none.
    func first(where matches: (Element) -> Bool) -> Slot? {
        elements.firstIndex { $0.map(matches) ?? false }.map { Slot(index: Int32($0)) }
    }
}

/// An element that can be in at most one chain at a time.
protocol Chained {
    var neighbours: Neighbours { get set }
}

struct Neighbours: Sendable, Equatable {
    fileprivate(set) var previous = Slot.none
    fileprivate(set) var next = Slot.none
}

/// A doubly linked list of elements in ``Slots``, given by the positions of its first and last element.
struct Chain: Sendable, Equatable {
    fileprivate(set) var first = Slot.none
    fileprivate(set) var last = Slot.none

    var isEmpty: Bool { first == .none }
}

extension Slots where Element: Chained {
    mutating func append(_ slot: Slot, to chain: inout Chain) { insert(slot, before: .none, in: &chain) }

    /// Inserts an element before another element of the chain, or at the end if `other` is `.none`.
    mutating func insert(_ slot: Slot, before other: Slot, in chain: inout Chain) {
        let previous = other == .none ? chain.last : self[other].neighbours.previous
        self[slot].neighbours = Neighbours(previous: previous, next: other)
        if previous == .none { chain.first = slot } else { self[previous].neighbours.next = slot }
        if other == .none { chain.last = slot } else { self[other].neighbours.previous = slot }
    }

    mutating func remove(_ slot: Slot, from chain: inout Chain) {
        let (previous, next) = (self[slot].neighbours.previous, self[slot].neighbours.next)
        if previous == .none { chain.first = next } else { self[previous].neighbours.next = next }
        if next == .none { chain.last = previous } else { self[next].neighbours.previous = previous }
        self[slot].neighbours = Neighbours()
    }

    /// The positions of a chain's elements, from `first` to the last.
    func elements(from first: Slot) -> [Slot] {
        var (all, slot) = ([Slot](), first)
        while slot != .none {
            all.append(slot)
            slot = self[slot].neighbours.next
        }
        return all
    }
}
