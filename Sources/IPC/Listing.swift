/// A long list that is read page by page as you iterate. Only one page is in memory at a time.
///
/// Rows that are added or removed during the iteration may or may not appear. No row appears twice.
public struct Listing<Row: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Row
    public typealias Failure = IPCError
    typealias Fetch = @Sendable (_ after: Row?) async throws(IPCError) -> [Row]

    private let fetch: Fetch
    private let isWanted: @Sendable (Row) -> Bool

    /// - Parameter isWanted: whether a fetched row belongs to the list.
    init(where isWanted: @escaping @Sendable (Row) -> Bool = { _ in true }, _ fetch: @escaping Fetch) {
        (self.fetch, self.isWanted) = (fetch, isWanted)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(list: self) }

    /// Reads one page after another.
    public struct Iterator: AsyncIteratorProtocol {
        let list: Listing
        private var page: ArraySlice<Row> = []
        private var last: Row?
        private var isAtEnd = false

        init(list: Listing) { self.list = list }

        /// Returns the next row; `nil` at the end. The list ends when a page has no rows.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(IPCError) -> Row? {
            repeat {
                if page.isEmpty && !isAtEnd {
                    page = try await list.fetch(last)[...]
                    isAtEnd = page.isEmpty
                }
                last = page.popFirst()
            } while last.map { !list.isWanted($0) } ?? false
            return last
        }
    }

    /// Reads all rows.
    public func all() async throws(IPCError) -> [Row] {
        var rows: [Row] = []
        for try await row in self { rows.append(row) }
        return rows
    }
}
