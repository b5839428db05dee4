/// The command line: the name of a measurement, followed by its settings as `name=value`.
struct Settings: Sendable {
    struct Mistake: Error, CustomStringConvertible { let description: String }

    let measurement: String
    private let values: [String: String]

    init(_ arguments: some Sequence<String>) throws(Mistake) {
        var rest = Array(arguments)[...]
        guard let first = rest.popFirst() else { throw Mistake(description: "usage: Load MEASUREMENT [name=value …]") }
        measurement = first
        var values: [String: String] = [:]
        for argument in rest {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Mistake(description: "“\(argument)” is not name=value") }
            values[String(parts[0])] = String(parts[1])
        }
        self.values = values
    }

    func text(_ name: String, _ otherwise: String) -> String { values[name] ?? otherwise }

    func number(_ name: String, _ otherwise: Int) throws(Mistake) -> Int {
        guard let text = values[name] else { return otherwise }
        guard let number = Int(text) else { throw Mistake(description: "“\(name)=\(text)” is not a number") }
        return number
    }

    func flag(_ name: String) -> Bool { values[name] == "yes" }
}
