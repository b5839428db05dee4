/// An error that a caller can act on, as opposed to a fault.
///
/// A condition has a name on the wire and an error message. A fault (an I/O error, a corrupt store, a lost bus) is any
/// other error. It is not caught, and stops the program.
package protocol Condition: Error, CustomStringConvertible {
    /// The condition as it is sent: its name on the wire and its message.
    var ipcError: IPCError { get }
}

extension Condition {
    /// The message of ``ipcError``.
    package var description: String { ipcError.message }
}
