/// Where a pasteboard lives: two databases of one connection with the same tables, so that the same code serves both.
enum Area: Int, CaseIterable {
    /// The file.
    case persistent
    /// The attached database in memory, gone with the broker.
    case volatile

    /// The name of the database in SQL.
    var schema: String {
        switch self {
        case .persistent: "main"
        case .volatile: "volatile"
        }
    }

    var other: Area {
        switch self {
        case .persistent: .volatile
        case .volatile: .persistent
        }
    }
}
