/// The size of the heavy tests: `small` in every test run, `full` before a release. The code is the same.
///
/// The environment variable `IPC_TEST_SIZE` selects it; the default is `small`.
package enum TestSize: String, Sendable {
    case small, full

    /// The size of this run.
    ///
    /// A value other than `small` or `full` aborts the run, because a misspelt size would pass for a full one.
    package static let current: TestSize = {
        guard let text = environmentVariable("IPC_TEST_SIZE"), !text.isEmpty else { return .small }
        guard let size = TestSize(rawValue: text) else {
            fatalError("IPC_TEST_SIZE is “\(text)”; it must be small or full.")
        }
        return size
    }()

    /// The first value in a small run, the second in a full run.
    package static func pick<Value>(small: Value, full: Value) -> Value {
        current == .small ? small : full
    }
}
