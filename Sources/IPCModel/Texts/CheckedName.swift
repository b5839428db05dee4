/// A name or id that is checked against its grammar when it is created.
///
/// A literal needs no `try`: an invalid one traps with the error message the first time it is used.
public protocol CheckedName: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it was written.
    var text: String { get }
    /// Checks a string that comes from outside the program.
    init(_ text: String) throws(IPCError)
}

extension CheckedName {
    /// The name as it was written.
    public var description: String { text }

    /// Creates a name from a literal, which must be valid.
    public init(stringLiteral text: String) {
        do throws(IPCError) { self = try Self(text) } catch { fatalError(error.message) }
    }
}
