import SceneManager
import Terminal

/// The moments of the scenes in a test.
@MainActor
final class Record {
    var moments: [String] = []
    /// The names of the scenes that were released.
    var released: [String] = []

    /// Returns the moments since the last call.
    func take() -> [String] {
        defer { moments = [] }
        return moments
    }
}

/// A scene that records its moments: `NAME?n=5`.
final class RecordedScene: Scene {
    private let record: Record
    private let name: String
    private var number: Int
    private var orientation: Orientation?
    let entrance: Transition?
    let exit: Transition?

    init(_ address: SceneAddress, _ record: Record, entrance: Transition? = nil, exit: Transition? = nil) {
        (self.record, name, number) = (record, address.name, (try? address.number("n")) ?? 0)
        (self.entrance, self.exit) = (entrance, exit)
        record.moments.append("\(name) init")
    }

    isolated deinit { record.released.append(name) }

    var title: String { "\(name) \(number)" }

    var address: SceneAddress {
        var address = SceneAddress(name)
        address["n"] = number == 0 ? nil : "\(number)"
        return address
    }

    func draw(on canvas: inout Canvas) {
        canvas.write("<\(name) \(number)>", at: Position(row: 0, column: 0))
        canvas.write(orientation.map { "\($0)" } ?? "no layout", at: Position(row: 1, column: 0))
    }

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

    func take(_ moment: SceneMoment) {
        if case .layout(let orientation) = moment {
            self.orientation = orientation
        } else {
            record.moments.append("\(name) \("\(moment)".prefix { $0 != "(" })")
        }
    }
}
