internal import Glibc

/// What went wrong in the harness, as sentences that a person who reads a failed test can use.
package struct HarnessError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// A failed system call, with the text of `errno`.
    static func system(_ what: String) -> HarnessError {
        HarnessError("\(what): \(String(cString: strerror(errno)))")
    }
}
