public import Terminal

/// The way from one picture to the next: which way, and how long.
public struct Transition: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The old one fades into a colour, and the new one out of it.
        case fade(through: Colour)
        /// The old one becomes narrow, as if it turned its edge to the reader, and the new one wide.
        case flip
        /// The new one comes in from the right (forward) or from the left, and moves the old one out.
        case slide(forward: Bool)
    }

    /// 10 s: a longer one would look like a program that hangs.
    public static let longest = Duration.seconds(10)

    public let kind: Kind
    /// From the old picture to the new one; zero does it at once.
    public let duration: Duration

    public init(_ kind: Kind, _ duration: Duration) {
        (self.kind, self.duration) = (kind, min(max(duration, .zero), Self.longest))
    }

    /// At once.
    public static let cut = Transition(.flip, .zero)

    /// How far it is, of 1, when nothing can be seen of the old picture any more.
    public var turningPoint: Double {
        switch kind {
        case .fade, .flip: 0.5
        case .slide: 1
        }
    }

    /// What is seen on the way.
    /// - Parameter progress: how far it is, from 0 (the old picture) to 1 (the new one).
    public func picture(from old: Canvas, to new: Canvas, at progress: Double) -> Canvas {
        // 0 at the turning point of a fade or a flip, 1 at both ends.
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
    /// As if it were turned: every so manieth column, in the middle.
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

    /// Moved out to the left, with another one right beside it.
    fileprivate func moved(by share: Double, to next: Canvas) -> Canvas {
        let offset = Int((Double(size.columns) * share).rounded())
        var canvas = Canvas(size: size)
        canvas.draw(self, columns: offset..<size.columns)
        canvas.draw(next, columns: 0..<offset, column: size.columns - offset)
        return canvas
    }
}
