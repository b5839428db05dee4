/// A first-in, first-out queue. Adding and removing an element take constant time.
public struct Queue<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var first = 0

    @inlinable public init() {}

    @inlinable public var isEmpty: Bool { first == elements.count }
    @inlinable public var count: Int { elements.count - first }

    /// The first element; `nil` if the queue is empty.
    @inlinable public var next: Element? { isEmpty ? nil : elements[first] }

    /// The element at a given distance from the first one.
    @inlinable public subscript(distance: Int) -> Element {
        get { elements[first + distance]! }
        set { elements[first + distance] = newValue }
    }

    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    @inlinable public mutating func takeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[first]
        elements[first] = nil
        first += 1
        // Discard the slots of removed elements in batches, because discarding moves all remaining elements.
        if isEmpty {
            elements.removeAll(keepingCapacity: first <= 256)
            first = 0
        } else if first > 256, first > elements.count / 2 {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}
