internal import IPCDBus
internal import IPCQueues

/// The deadlines of many objects, with one timer.
@DBusActor
final class Deadlines<Element: Deadlined> {
    private var queue = DeadlineQueue<Element>()
    private let timer = DBusTimer()

    /// Runs for an object whose deadline has passed, with the time of now.
    var passed: @DBusActor (Element, ContinuousClock.Instant) -> Void = { _, _ in }

    /// Sets a deadline. If the object has an earlier one, that stays.
    func insert(_ element: Element, at deadline: ContinuousClock.Instant) {
        queue.insert(element, at: deadline)
        arm()
    }

    func remove(_ element: Element) { queue.remove(element) }

    /// The timer stays if the object of its deadline was removed: an early look costs less than to set it each time.
    private func arm() {
        guard let first = queue.first else { return timer.cancel() }
        if let set = timer.deadline, set <= first { return }
        timer.set(at: first) { [weak self] in self?.expire() }
    }

    private func expire() {
        let now = ContinuousClock.now
        // A slice at a time: if more deadlines have passed, the timer fires again at once.
        for _ in 0..<Slices.size {
            guard let element = queue.takeDue(at: now) else { break }
            passed(element, now)
        }
        arm()
    }
}
