/// Events in order, for a test to wait on.
package final class Collected<Element: Sendable>: Sendable {
    private let state = Observed<[Element]>([])

    package init() {}

    /// The elements so far.
    package var elements: [Element] { state.value }

    package func add(_ element: Element) { state.update { $0.append(element) } }

    /// Waits until there are at least this many elements, and returns all of them.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func wait(for count: Int) async throws -> [Element] {
        try await state.wait { $0.count >= count ? $0 : nil }
    }
}
