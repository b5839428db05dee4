public import Terminal

/// The transition from one picture to the next: its kind and duration.
public struct Transition: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The old picture fades to a colour, and the new one fades in from it.
        case fade(through: Colour)
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
    public var turningPoint: Double {
        switch kind {
        case .fade, .flip: 0.5
        case .slide: 1
        }
    }

    /// The picture at a moment of the transition.
    /// - Parameter progress: from 0 (the old picture) to 1 (the new one).
    public func picture(from old: Canvas, to new: Canvas, at progress: Double) -> Canvas {
        // How clearly the picture is visible: 0 at the turning point of a fade or a flip, 1 at both ends.
        let clearness = abs(1 - 2 * progress)
        return switch kind {
        case _ where progress <= 0: old
        case _ where progress >= 1: new
        case .fade(let colour): (progress < 0.5 ? old : new).mixed(with: colour, share: 1 - clearness)
        case .flip: (progress < 0.5 ? old : new).narrowed(to: clearness)
        case .slide(true): old.moved(by: progress, to: new)
        case .slide(false): new.moved(by: 1 - progress, to: old)
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
