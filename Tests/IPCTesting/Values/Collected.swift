/// What has happened, in order, for a test to wait on.
package final class Collected<Element: Sendable>: Sendable {
    private let state = Observed<[Element]>([])

    package init() {}

    /// What there is so far.
    package var elements: [Element] { state.value }

    package func add(_ element: Element) { state.update { $0.append(element) } }

    /// Waits until there are so many, and gives all that there are.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func wait(for count: Int) async throws -> [Element] {
        try await state.wait { $0.count >= count ? $0 : nil }
    }
}
