/// A system call of the broker on one of its files that fails.
package struct FailingCall: Sendable {
    let call: String
    let file: String
    /// Which call fails, counted from 1 over each thread's calls on the file.
    let number: Int
    var error = "EIO"
    /// Whether all later calls fail too.
    var repeats = false

    package static func read(_ number: Int) -> FailingCall {
        FailingCall(call: "pread64", file: "store.sqlite", number: number)
    }

    /// A flush of the write-ahead log.
    package static func flush(_ number: Int) -> FailingCall {
        FailingCall(call: "fdatasync", file: "store.sqlite-wal", number: number)
    }

    /// All writes to the write-ahead log from a number on, because the user's quota is used up.
    package static func quota(from number: Int) -> FailingCall {
        FailingCall(call: "pwrite64", file: "store.sqlite-wal", number: number, error: "EDQUOT", repeats: true)
    }
}
