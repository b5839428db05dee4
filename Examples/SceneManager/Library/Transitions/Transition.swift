public import Terminal

/// The transition from one picture to the next: its kind and duration.
public struct Transition: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The old picture fades to a colour, and the new one fades in from it.
        case fade(through: Color)
        /// The old picture narrows, as if it turned its edge to the viewer, and the new one widens.
        case flip
        /// The new picture comes in from the right (forward) or from the left, and pushes the old one out.
        case slide(forward: Bool)
    }

    /// The maximum duration, 10 s: during a longer one, the program would seem to hang.
    public static let longest = Duration.seconds(10)

    public let kind: Kind
    /// The time from the old picture to the new one; zero switches at once.
    public let duration: Duration

    public init(_ kind: Kind, _ duration: Duration) {
        (self.kind, self.duration) = (kind, min(max(duration, .zero), Self.longest))
    }

    /// Switches at once.
    public static let cut = Transition(.flip, .zero)

    /// The progress, from 0 to 1, at which the old picture is no longer visible.
    private var turningPoint: Double { if case .slide = kind { 1 } else { 0.5 } }

    /// The picture at a moment of the transition.
    /// - Parameter progress: from 0 (the old picture) to 1 (the new one).
    func picture(from old: Canvas, to new: Canvas, at progress: Double) -> Canvas {
        // How clearly the picture is visible: 0 at the turning point of a fade or a flip, 1 at both ends.
        let clearness = abs(1 - 2 * progress)
        return switch kind {
        case _ where progress <= 0: old
        // If the terminal has a new size, the old picture no longer fits.
        case _ where progress >= 1 || old.size != new.size: new
        case .fade(let colour): (progress < 0.5 ? old : new).mixed(with: colour, share: 1 - clearness)
        case .flip: (progress < 0.5 ? old : new).narrowed(to: clearness)
        case .slide(true): old.moved(by: progress, to: new)
        case .slide(false): new.moved(by: 1 - progress, to: old)
        }
    }

    /// The time between two pictures: 30 pictures per second.
    private static let frame = Duration.milliseconds(33)

    /// Plays the transition, and returns when it is complete. If the task is cancelled, it jumps to the end.
    /// - Parameters:
    ///   - clock: the clock that times the transition.
    ///   - turn: called once, when the old picture is no longer visible.
    ///   - show: called with the progress, from 0 to 1; the last call is with 1.
    @MainActor
    func play(on clock: some Clock<Duration>, turn: () -> Void, show: (_ progress: Double) -> Void) async {
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

extension Canvas {
    /// Shows the canvas as if it were turned: evenly chosen columns of it, in the middle.
    fileprivate func narrowed(to share: Double) -> Canvas {
        let width = Int((Double(size.columns) * share).rounded())
        let start = (size.columns - width) / 2
        var canvas = Canvas(size: size)
        for column in 0..<width {
            let place = column * size.columns / width
            canvas.draw(self, columns: place..<place + 1, column: start + column)
        }
        return canvas
    }

    /// Moves the canvas to the left by a share of its width, with another canvas directly to its right.
    fileprivate func moved(by share: Double, to next: Canvas) -> Canvas {
        let offset = Int((Double(size.columns) * share).rounded())
        var canvas = Canvas(size: size)
        canvas.draw(self, columns: offset..<size.columns)
        canvas.draw(next, columns: 0..<offset, column: size.columns - offset)
        return canvas
    }
}
