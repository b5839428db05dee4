import SceneManager
import Terminal

/// A scene that shows a number, with an alert before it is cleared: `counter?n=5`.
final class CounterScene: Scene {
    private var number: Int

    init(_ address: SceneAddress) throws { number = try Self.number(address["n"] ?? "0") }

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
        case .key(.character("+")): number += number < .max ? 1 : 0
        case .key(.character("-")): number -= number > .min ? 1 : 0
        case .key(.control("x")): return clear()
        default: return .pass
        }
        return .redraw
    }

    /// Carries out the orders `clear`, and `add/3`, which adds 3 to the number.
    func take(_ order: SceneAddress) throws -> SceneAction? {
        if order.name == "clear" { return clear() }
        guard order.name == "add" else { return nil }
        let (sum, isTooLarge) = number.addingReportingOverflow(try Self.number(order.argument ?? ""))
        guard !isTooLarge else { throw SceneRefusal("the counter has 64 bits, too few for the sum", code: "too-large") }
        number = sum
        return .redraw
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text) else {
            throw SceneRefusal("“\(text)” is not a number of 64 bits; use counter?n=5 or add/3", code: "no-number")
        }
        return number
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
