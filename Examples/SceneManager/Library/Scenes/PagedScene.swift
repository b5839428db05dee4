public import Terminal

/// Scenes side by side, with a row of dots that marks the visible one: `NAME?page=2`, counted from 1.
@MainActor
public final class PagedScene: Scene {
    private let name: SceneAddress
    private let pages: ChildScenes
    private let duration: Duration

    /// - Parameters:
    ///   - address: its `page` selects the visible page, counted from 1.
    ///   - pages: the pages from left to right; each is created when it is first shown.
    ///   - duration: how long the transition to another page takes.
    public init(_ address: SceneAddress, pages: [ChildScenes.Maker], duration: Duration = .milliseconds(250)) {
        name = address
        self.duration = duration
        self.pages = ChildScenes(pages, showing: (address.number("page") ?? 1) - 1)
    }

    public var title: String { pages.current.title }
    public var hint: String { "← →: other pages" }

    public var address: SceneAddress {
        var address = name
        address["page"] = pages.place == 0 ? nil : "\(pages.place + 1)"
        return address
    }

    /// The page indicator.
    public var dots: String { (0..<pages.count).map { $0 == pages.place ? "●" : "○" }.joined(separator: " ") }

    public func draw(on canvas: inout Canvas) {
        pages.current.draw(on: &canvas)
        let column = max(0, (canvas.size.columns - dots.displayWidth) / 2)
        canvas.write(dots, at: Position(row: canvas.size.rows - 1, column: column), style: .bold)
    }

    public func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.right): go(to: pages.place + 1)
        case .key(.left): go(to: pages.place - 1)
        default: pages.current.take(event)
        }
    }

    public func take(_ order: SceneAddress) throws -> SceneAction? {
        guard order.name == "page" else { return try pages.current.take(order) }
        guard let number = order.argument.flatMap({ Int($0) }), (1...pages.count).contains(number) else {
            throw SceneRefusal("the pages are numbered 1 to \(pages.count)", code: "no-such-page")
        }
        return go(to: number - 1)
    }

    private func go(to place: Int) -> SceneAction {
        let way = Transition(.slide(forward: place > pages.place), duration)
        return pages.turn(to: place, by: way).map(SceneAction.turn) ?? .redraw
    }

    public var isLoaded: Bool { pages.current.isLoaded }
    public func load() async throws { try await pages.current.load() }
    public func sleep() { pages.sleep() }
    public func restore() { pages.restore() }
    public func end() { pages.end() }
    public func letGo() { pages.letGo() }
}
