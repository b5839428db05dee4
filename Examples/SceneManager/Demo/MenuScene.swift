import SceneManager
import Terminal

/// The root: six icons, in rows of three on a wide terminal and of two on a narrow one: `menu?icon=4`.
final class MenuScene: Scene {
    static let icons = [
        IconLabel("🔢", "counter", key: "1"), IconLabel("📝", "note", key: "2"), IconLabel("📖", "pages", key: "3"),
        IconLabel("🃏", "card", key: "4"), IconLabel("🌗", "fade", key: "5"), IconLabel("🍃", "poem", key: "6"),
    ]

    private var focus: Int
    private var columns = 3

    init(_ address: SceneAddress) throws {
        focus = min(try address.number("icon", from: 1) ?? 1, Self.icons.count) - 1
    }

    let title = "Scenes"
    let hint = "1–6 ← ↑ ↓ → enter: open   w b: by a fade"

    var address: SceneAddress {
        var address = SceneAddress("menu")
        address["icon"] = focus == 0 ? nil : "\(focus + 1)"
        return address
    }

    func draw(on canvas: inout Canvas) {
        for (place, icon) in Self.icons.enumerated() {
            let (row, column) = place.quotientAndRemainder(dividingBy: columns)
            let corner = Position(row: row * IconLabel.size.rows, column: 2 + column * IconLabel.size.columns)
            icon.draw(on: &canvas, at: corner, isFocused: place == focus)
        }
    }

    func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.left): focus(focus - 1)
        case .key(.right): focus(focus + 1)
        case .key(.up): focus(focus - columns)
        case .key(.down): focus(focus + columns)
        case .key(.enter): open(focus)
        case .key(.character("w")): open(focus, by: Transition(.fade(through: .white), .milliseconds(400)))
        case .key(.character("b")): open(focus, by: Transition(.fade(through: .black), .milliseconds(400)))
        case .key(.character(let key)):
            Self.icons.firstIndex { $0.key == key }.map { open($0) } ?? .pass
        default: .pass
        }
    }

    /// Carries out the order `icon/4`, which activates an icon.
    func take(_ order: SceneAddress) throws -> SceneAction? {
        guard order.name == "icon" else { return nil }
        guard let place = Self.icons.firstIndex(where: { String($0.key) == order.argument }) else {
            throw SceneRefusal("the icons are numbered 1 to \(Self.icons.count)", code: "no-such-icon")
        }
        return open(place)
    }

    func take(_ moment: SceneMoment) {
        if case .layout(let orientation) = moment { columns = orientation == .wide ? 3 : 2 }
    }

    private func focus(_ place: Int) -> SceneAction {
        if Self.icons.indices.contains(place) { focus = place }
        return .redraw
    }

    private func open(_ place: Int, by transition: Transition? = nil) -> SceneAction {
        focus = place
        return .go(.push(SceneAddress(Self.icons[place].label)), by: transition)
    }
}
