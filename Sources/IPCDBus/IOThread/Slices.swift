/// Processes elements in slices. The I/O thread polls its sockets between slices, so that no caller delays others.
@DBusActor
package enum Slices {
    /// The number of elements in a slice. Processing one element takes about ten microseconds.
    package static var size: Int { 64 }

    /// Runs `body` for each element in order: the first slice now, each later slice after the sockets are polled.
    @inlinable
    package static func forEach<Element>(_ elements: [Element], _ body: @escaping @DBusActor (Element) -> Void) {
        for element in elements.prefix(size) { body(element) }
        if elements.count > size { later(elements.count) { body(elements[$0]) } }
    }

    @usableFromInline
    static func later(_ count: Int, from start: Int = size, _ body: @escaping @DBusActor (Int) -> Void) {
        _ = DBusActor.thread.schedule(at: .now) {
            let end = min(start + size, count)
            for index in start..<end { body(index) }
            if end < count { later(count, from: end, body) }
        }
    }
}
