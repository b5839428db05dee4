/// The statements of one database, each compiled on first use.
///
/// In the SQL, `@` stands for the name of the database, and `#` for the name of the other one (``Area``). Statements
/// are looked up by the address of the string literal, so that its text is not hashed on each call.
final class StatementCache {
    private let database: Database
    private let area: Area
    private var statements: [UnsafePointer<UInt8>: PreparedStatement] = [:]

    init(_ database: Database, _ area: Area) {
        (self.database, self.area) = (database, area)
    }

    subscript(_ sql: StaticString) -> PreparedStatement {
        get throws {
            if let statement = statements[sql.utf8Start] { return statement }
            let statement = try PreparedStatement(Self.expand(sql.description, area), on: database)
            statements[sql.utf8Start] = statement
            return statement
        }
    }

    /// Finalizes the statements, because a connection that still has statements cannot be closed.
    func removeAll() { statements.removeAll() }

    static func expand(_ sql: String, _ area: Area) -> String {
        sql.reduce(into: "") { $0 += $1 == "@" ? area.schema : $1 == "#" ? area.other.schema : String($1) }
    }
}
