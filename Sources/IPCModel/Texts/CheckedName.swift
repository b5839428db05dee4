/// A name or an id whose grammar is checked when it is made.
///
/// A literal in the source needs no `try`: a wrong one ends the program with the sentence of the error, at the first run.
public protocol CheckedName: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it was written.
    var text: String { get }
    /// Checks a text that comes from outside of the program.
    init(_ text: String) throws(IPCError)
}

extension CheckedName {
    /// The name as it was written.
    public var description: String { text }

    /// Makes a name from a literal, which must be valid.
    public init(stringLiteral text: String) {
        do throws(IPCError) { self = try Self(text) } catch { fatalError(error.message) }
    }
}
