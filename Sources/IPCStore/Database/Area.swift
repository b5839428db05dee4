/// The two databases of the store's connection. They have the same tables, so the same code serves both.
enum Area: Int, CaseIterable {
    /// The database file.
    case persistent
    /// The attached in-memory database, which is lost when the broker exits.
    case volatile

    /// The database's name in SQL.
    var schema: String { self == .persistent ? "main" : "volatile" }
    var other: Area { self == .persistent ? .volatile : .persistent }
}
