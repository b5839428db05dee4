/// The statements of one database of the connection, each compiled at its first use.
///
/// In the SQL `@` stands for the name of the database and `#` for the name of the other one. A literal is known by its
/// address, which saves hashing its text at each call.
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

    /// Finalizes the statements: a connection with statements cannot be closed.
    func removeAll() { statements.removeAll() }

    /// Puts the names of the databases into SQL.
    static func expand(_ sql: String, _ area: Area) -> String {
        var result = ""
        for character in sql {
            switch character {
            case "@": result += area.schema
            case "#": result += area.other.schema
            default: result.append(character)
            }
        }
        return result
    }
}
