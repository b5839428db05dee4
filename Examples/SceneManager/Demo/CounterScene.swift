import SceneManager
import Terminal

/// A scene that shows a number: `counter?n=5`.
final class CounterScene: Scene {
    private var number: Int

    init(_ address: SceneAddress) { number = address.number("n") ?? 0 }

    var title: String { "Counter \(number)" }
    let hint = "+ -: count"

    var address: SceneAddress {
        var address = SceneAddress("counter")
        address["n"] = number == 0 ? nil : "\(number)"
        return address
    }

    func draw(on canvas: inout Canvas) {
        canvas.write("\(number)", at: Position(row: 2, column: 5), style: .bold)
    }

    func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.character("+")): number &+= 1
        case .key(.character("-")): number &-= 1
        default: return .pass
        }
        return .redraw
    }

    /// Carries out an order such as `add/3`, which adds 3 to the number.
    func take(_ order: SceneAddress) throws -> SceneAction? {
        guard order.name == "add" else { return nil }
        guard let summand = order.argument.flatMap({ Int($0) }) else {
            throw SceneRefusal("add/NUMBER: “\(order.argument ?? "")” is not a number", code: "no-number")
        }
        number &+= summand
        return .redraw
    }
}
