public import Terminal

/// A container that shows one of several scenes, with a row of dots that marks which: `NAME?page=2`, counted from 1. Its
/// pages lie side by side, or on a card that is turned over.
@MainActor
public final class PagedScene: Scene {
    public enum Arrangement: Sendable {
        case sideBySide
        /// A card with a front and a back.
        case card
    }

    private let name: SceneAddress
    private let pages: ChildScenes
    private let arrangement: Arrangement
    private let duration: Duration
    public let entrance: Transition?
    public let exit: Transition?

    /// - Parameters:
    ///   - address: its `page` selects the visible page, counted from 1.
    ///   - pages: the pages in order; each is created when it is first shown.
    ///   - duration: how long the transition to another page takes.
    ///   - entrance: the transition that shows the container.
    ///   - exit: the transition that removes it.
    /// - Throws: a ``SceneRefusal`` if `page` is not a number from 1.
    public init(
        _ address: SceneAddress, _ arrangement: Arrangement = .sideBySide, pages: [ChildScenes.Maker],
        duration: Duration = .milliseconds(250), entrance: Transition? = nil, exit: Transition? = nil
    ) throws {
        (name, self.arrangement, self.duration) = (address, arrangement, duration)
        (self.entrance, self.exit) = (entrance, exit)
        self.pages = ChildScenes(pages, showing: (try address.number("page", from: 1) ?? 1) - 1)
    }

    public var title: String { pages.current.title }
    public var hint: String { arrangement == .card ? "space: turn over" : "← →: other pages" }

    public var address: SceneAddress {
        var address = name
        address["page"] = pages.place == 0 ? nil : "\(pages.place + 1)"
        return address
    }

    /// The page indicator.
    var dots: String { (0..<pages.count).map { $0 == pages.place ? "●" : "○" }.joined(separator: " ") }

    public func draw(on canvas: inout Canvas) {
        pages.current.draw(on: &canvas)
        let column = max(0, (canvas.size.columns - dots.displayWidth) / 2)
        canvas.write(dots, at: Position(row: canvas.size.rows - 1, column: column), style: .bold)
    }

    public func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.right): go(to: pages.place + 1)
        case .key(.left): go(to: pages.place - 1)
        case .key(.character(" ")): turnOver()
        default: pages.current.take(event)
        }
    }

    /// Carries out the orders `page/2`, and `flip`, which shows the next page or, after the last one, the first.
    public func take(_ order: SceneAddress) throws -> SceneAction? {
        if order.name == "flip" { return turnOver() }
        guard order.name == "page" else { return try pages.current.take(order) }
        guard let number = order.argument.flatMap({ Int($0) }), (1...pages.count).contains(number) else {
            throw SceneRefusal("the pages are numbered 1 to \(pages.count)", code: "no-such-page")
        }
        return go(to: number - 1)
    }

    public var isLoaded: Bool { pages.current.isLoaded }
    public func load() async throws { try await pages.current.load() }
    public func take(_ moment: SceneMoment) { pages.take(moment) }

    private func turnOver() -> SceneAction { go(to: (pages.place + 1) % pages.count) }

    private func go(to place: Int) -> SceneAction {
        let way: Transition.Kind = arrangement == .card ? .flip : .slide(forward: place > pages.place)
        return pages.turn(to: place, by: Transition(way, duration))
    }
}
