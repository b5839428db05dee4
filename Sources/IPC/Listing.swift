/// A long list that is read page by page while it is iterated; only one page is held.
///
/// Rows that come or go meanwhile may or may not be in it; no row is in it twice.
public struct Listing<Row: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Row
    public typealias Failure = IPCError
    typealias Fetch = @Sendable (_ after: Row?) async throws(IPCError) -> [Row]

    private let fetch: Fetch
    private let isWanted: @Sendable (Row) -> Bool

    /// - Parameter isWanted: whether a row that was fetched is one of the list.
    init(where isWanted: @escaping @Sendable (Row) -> Bool = { _ in true }, _ fetch: @escaping Fetch) {
        (self.fetch, self.isWanted) = (fetch, isWanted)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(fetch: fetch, isWanted: isWanted) }

    /// Reads one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let fetch: Fetch
        let isWanted: @Sendable (Row) -> Bool
        private var page: ArraySlice<Row> = []
        private var last: Row?
        private var isAtEnd = false

        init(fetch: @escaping Fetch, isWanted: @escaping @Sendable (Row) -> Bool) {
            (self.fetch, self.isWanted) = (fetch, isWanted)
        }

        /// The next row; `nil` at the end, which is a page without rows.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(IPCError) -> Row? {
            repeat {
                if page.isEmpty && !isAtEnd {
                    page = try await fetch(last)[...]
                    isAtEnd = page.isEmpty
                }
                last = page.popFirst()
            } while last.map { !isWanted($0) } ?? false
            return last
        }
    }

    /// All rows at once.
    public func all() async throws(IPCError) -> [Row] {
        var rows: [Row] = []
        for try await row in self { rows.append(row) }
        return rows
    }
}
