public import Terminal

/// The shape of a terminal. A scene chooses its layout for it; see ``SceneMoment/layout(_:)``.
public enum Orientation: Sendable, Hashable {
    /// At least as wide as tall.
    case wide
    /// Taller than wide.
    case narrow

    /// A cell is about twice as tall as wide, so a square has twice as many columns as rows.
    public init(_ size: TerminalSize) { self = size.columns >= 2 * size.rows ? .wide : .narrow }
}
