extension Limits {
    /// Every limit by its name on the wire, as the property `Limits` shows them.
    package var dictionary: [String: UInt64] {
        Dictionary(uniqueKeysWithValues: Self.all.map { ($0.name, self[keyPath: $0.keyPath]) })
    }

    /// The row of a name on the wire; nil where there is none.
    package static func row(named name: String) -> Row? { all.first { $0.name == name } }

    /// Sets a limit by its name on the wire.
    package mutating func set(_ name: String, _ value: UInt64) throws(Invalid) {
        guard let row = Self.row(named: name) else { throw .unknown(name) }
        guard row.range.contains(value) else { throw .outOfRange(name, value, row.range) }
        self[keyPath: row.keyPath] = value
    }

    /// Why a limit cannot be set.
    package enum Invalid: Condition, Hashable {
        /// No limit has that name.
        case unknown(String)
        /// The number is none of those that the limit may be set to.
        case outOfRange(String, UInt64, ClosedRange<UInt64>)

        package var ipcError: IPCError { IPCError(.invalidArguments, sentence) }

        private var sentence: String {
            switch self {
            case .unknown(let name):
                "there is no limit \(name.quoted)"
                    + (Spelling.nearest(to: name, among: Limits.all.map(\.name)).map { ", did you mean “\($0)”?" }
                        ?? ";")
                    + " ipc-broker.conf(5) and the property Limits list all"
            case .outOfRange(let name, let value, let range) where range.count == 1:
                "the limit \(name.quoted) cannot be \(value); it is fixed at \(range.lowerBound)"
            case .outOfRange(let name, let value, let range):
                "the limit \(name.quoted) cannot be \(value); "
                    + "it is a number from \(range.lowerBound) to \(range.upperBound)"
            }
        }
    }
}
