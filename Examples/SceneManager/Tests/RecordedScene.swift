import SceneManager
import Terminal

/// The events of the scenes in a test.
@MainActor
final class Record {
    var moments: [String] = []

    /// Returns the events since the last call.
    func take() -> [String] {
        defer { moments = [] }
        return moments
    }
}

/// A scene that records its events: `NAME?n=5`.
final class RecordedScene: Scene {
    private let record: Record
    private let name: String
    private var number: Int

    init(_ address: SceneAddress, _ record: Record) {
        (self.record, name, number) = (record, address.name, address.number("n") ?? 0)
        record.moments.append("make \(address)")
    }

    isolated deinit { record.moments.append("gone \(name)") }

    var title: String { "\(name) \(number)" }

    var address: SceneAddress {
        var address = SceneAddress(name)
        address["n"] = number == 0 ? nil : "\(number)"
        return address
    }

    func draw(on canvas: inout Canvas) { canvas.write("<\(name) \(number)>", at: Position(row: 0, column: 0)) }

    func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.character("+")):
            number += 1
            return .redraw
        case .key(.control("x")): return clearing
        case .paste(let text):
            number = Int(text) ?? 0
            return .redraw
        default: return .pass
        }
    }

    func take(_ order: SceneAddress) throws -> SceneAction? { order.name == "clear" ? clearing : nil }

    private var clearing: SceneAction {
        .ask(.confirming("Clear \(name)?", message: "", doing: "Clear")) { [self] answer in
            if answer == Alert.confirmed { number = 0 }
            return .redraw
        }
    }

    func sleep() { record.moments.append("sleep \(name)") }
    func restore() { record.moments.append("restore \(name)") }
    func end() { record.moments.append("end \(name)") }
}
