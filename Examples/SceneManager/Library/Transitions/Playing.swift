extension Transition {
    /// 30 pictures a second.
    private static let frame = Duration.milliseconds(33)

    /// Plays the transition, and returns at its end. When the task is cancelled, it goes to the end at once.
    /// - Parameters:
    ///   - clock: by which it is timed.
    ///   - turn: called once, when nothing can be seen of the old picture any more.
    ///   - show: called with how far it is, from 0 to 1, and with 1 at last.
    @MainActor
    func play(
        on clock: some Clock<Duration>, turn: () -> Void, show: (_ progress: Double) -> Void
    ) async {
        let begin = clock.now
        var hasTurned = false
        while true {
            let elapsed = Task.isCancelled ? duration : begin.duration(to: clock.now)
            let progress = elapsed >= duration ? 1 : max(0, elapsed / duration)
            if progress >= turningPoint, !hasTurned {
                hasTurned = true
                turn()
            }
            show(progress)
            guard progress < 1 else { return }
            try? await clock.sleep(until: clock.now.advanced(by: min(Self.frame, duration - elapsed)), tolerance: nil)
        }
    }
}
