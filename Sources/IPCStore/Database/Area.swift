/// The two databases of the connection. They have the same tables, so that the same code serves both.
enum Area: Int, CaseIterable {
    /// The file.
    case persistent
    /// The attached database in memory, which ends with the broker.
    case volatile

    /// The name in SQL.
    var schema: String { self == .persistent ? "main" : "volatile" }
    var other: Area { self == .persistent ? .volatile : .persistent }
}
