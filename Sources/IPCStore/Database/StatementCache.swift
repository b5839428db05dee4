/// The statements of one database, compiled on first use, and looked up by the address of the SQL literal, which is
/// faster than by its text. In the SQL, `@` is the name of the database, and `#` the name of the other one (``Area``).
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
