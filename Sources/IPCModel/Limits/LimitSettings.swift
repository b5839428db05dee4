extension Limits {
    /// All limits by their names on the wire, as in the answer of the D-Bus method `GetLimits`.
    package var dictionary: [String: UInt64] {
        Dictionary(uniqueKeysWithValues: Self.all.map { ($0.name, self[keyPath: $0.keyPath]) })
    }

    /// The row with this name on the wire; `nil` if there is none.
    package static func row(named name: String) -> Row? { all.first { $0.name == name } }

    /// Sets a limit by its name on the wire.
    package mutating func set(_ name: String, _ value: UInt64) throws(IPCError) {
        guard let row = Self.row(named: name) else {
            let hint = Spelling.nearest(to: name, among: Self.all.map(\.name)).map { ", did you mean “\($0)”?" } ?? ";"
            throw IPCError(
                .invalidArguments,
                "there is no limit \(name.quoted)\(hint) ipc-broker.conf(5) and the method GetLimits list all")
        }
        guard row.range.contains(value) else {
            let (low, high) = (row.range.lowerBound, row.range.upperBound)
            let rule = low == high ? "is fixed at \(low)" : "must be from \(low) to \(high)"
            throw IPCError(.invalidArguments, "the limit \(name.quoted) cannot be \(value); it \(rule)")
        }
        self[keyPath: row.keyPath] = value
    }
}
