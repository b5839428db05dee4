/// An error that a caller can act on, as opposed to a fault.
///
/// A condition has a name on the wire and a sentence. A fault (an I/O error, a corrupt store, a lost bus) is any other
/// error; it is not caught on its way and ends the program.
package protocol Condition: Error, CustomStringConvertible {
    /// The condition as it travels: its name on the wire and its sentence.
    var ipcError: IPCError { get }
}

extension Condition {
    /// The sentence of ``ipcError``.
    package var description: String { ipcError.message }
}
