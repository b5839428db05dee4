import SceneManager
import Terminal

/// A scene that shows a number, with an alert before it is cleared: `counter?n=5`.
final class CounterScene: Scene {
    private var number: Int

    init(_ address: SceneAddress) throws { number = try address.number("n") ?? 0 }

    var title: String { "Counter \(number)" }
    let hint = "+ -: count   ^X: clear"

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
        case .key(.character("+")) where number < .max: number += 1
        case .key(.character("-")) where number > .min: number -= 1
        case .key(.control("x")): return clear()
        default: return .pass
        }
        return .redraw
    }

    /// Carries out the orders `clear`, and `add/3`, which adds 3 to the number.
    func take(_ order: SceneAddress) throws -> SceneAction? {
        if order.name == "clear" { return clear() }
        guard order.name == "add" else { return nil }
        guard let summand = order.argument.flatMap({ Int($0) }) else {
            throw SceneRefusal("add/NUMBER: “\(order.argument ?? "")” is not a number", code: "no-number")
        }
        let (sum, isTooLarge) = number.addingReportingOverflow(summand)
        guard !isTooLarge else { throw SceneRefusal("\(number) + \(summand) is too large", code: "overflow") }
        number = sum
        return .redraw
    }

    private func clear() -> SceneAction {
        guard number != 0 else { return .redraw }
        let alert = Alert.confirming(
            "Clear the counter?", message: "It will be 0 in place of \(number).", doing: "Clear")
        return .ask(alert) { [self] answer in
            if answer == Alert.confirmed { number = 0 }
            return .redraw
        }
    }
}
