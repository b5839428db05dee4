internal import Glibc

/// A fault in the harness, with a message for readers of a failed test.
package struct HarnessError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// A failed system call, with the text of `errno`.
    package static func system(_ what: String) -> HarnessError {
        HarnessError("\(what): \(String(cString: strerror(errno)))")
    }
}
