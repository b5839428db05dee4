/// An error that a caller can act on, with a name on the wire and an error message. Any other error is a fault (an I/O
/// error, a corrupt store, a lost bus), which is not caught and stops the program.
package protocol Condition: Error, CustomStringConvertible {
    /// The condition as it is sent: its name on the wire and its message.
    var ipcError: IPCError { get }
}

extension Condition {
    package var description: String { ipcError.message }
}
