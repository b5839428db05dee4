extension Transition {
    /// The time between two pictures: 30 pictures per second.
    private static let frame = Duration.milliseconds(33)

    /// Plays the transition, and returns when it is complete. If the task is cancelled, it jumps to the end.
    /// - Parameters:
    ///   - clock: the clock that times the transition.
    ///   - turn: called once, when the old picture is no longer visible.
    ///   - show: called with the progress, from 0 to 1; the last call is with 1.
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
