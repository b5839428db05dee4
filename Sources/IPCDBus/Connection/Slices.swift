/// Work on many elements in slices, between which the thread reads its sockets: the crowd of one caller delays no other.
@DBusActor
package enum Slices {
    /// Elements of a slice; the work on one takes some ten microseconds.
    package static let size = 64

    /// Runs `body` for each element in order: for the first slice at once, for each further one after the sockets.
    package static func forEach<Element>(_ elements: [Element], _ body: @escaping @DBusActor (Element) -> Void) {
        goOn(elements[...], body)
    }

    private static func goOn<Element>(
        _ elements: ArraySlice<Element>, _ body: @escaping @DBusActor (Element) -> Void
    ) {
        for element in elements.prefix(size) { body(element) }
        let rest = elements.dropFirst(size)
        guard !rest.isEmpty else { return }
        _ = DBusActor.thread.schedule(at: .now) { DBusActor.assumeIsolated { goOn(rest, body) } }
    }
}
