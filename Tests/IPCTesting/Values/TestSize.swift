internal import Glibc

/// The size of the heavy tests: `small` in every test run, `full` before a release. The code is the same.
///
/// The environment variable `IPC_TEST_SIZE` chooses; without it the size is `small`.
package enum TestSize: String, Sendable {
    case small, full

    /// The size of this run.
    ///
    /// A value that is neither `small` nor `full` ends the run: a misspelt size would pass for a full one.
    package static let current: TestSize = {
        guard let text = environmentVariable("IPC_TEST_SIZE"), !text.isEmpty else { return .small }
        guard let size = TestSize(rawValue: text) else {
            fatalError("IPC_TEST_SIZE is “\(text)”; it must be small or full.")
        }
        return size
    }()

    /// The first value in a small run, the second in a full one.
    package static func pick<Value>(small: Value, full: Value) -> Value {
        current == .small ? small : full
    }
}

/// The value of a variable of this process's environment; `nil` when it is not set.
package func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
