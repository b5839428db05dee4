internal import IPCDBus
internal import IPCQueues

/// Tracks the deadlines of many objects with a single timer.
@DBusActor
final class Deadlines<Element: Deadlined> {
    private var queue = DeadlineQueue<Element>()
    private let timer = DBusTimer()

    /// Runs for each object whose deadline has passed, with the current time.
    var passed: @DBusActor (Element, ContinuousClock.Instant) -> Void = { _, _ in }

    /// Sets a deadline. If the object already has an earlier deadline, that one stays.
    func insert(_ element: Element, at deadline: ContinuousClock.Instant) {
        queue.insert(element, at: deadline)
        arm()
    }

    func remove(_ element: Element) { queue.remove(element) }

    /// Sets the timer for the first deadline. A timer with an earlier time is left as it is, which costs less.
    private func arm() {
        guard let first = queue.first else { return timer.cancel() }
        if let set = timer.deadline, set <= first { return }
        timer.set(at: first) { [weak self] in self?.expire() }
    }

    private func expire() {
        let now = ContinuousClock.now
        // Only a limited number of objects is handled at a time. For the rest, the timer fires again immediately.
        for _ in 0..<Slices.size {
            guard let element = queue.takeDue(at: now) else { break }
            passed(element, now)
        }
        arm()
    }
}
