/// Stores the addresses of the stack so that they survive `kill -9`. Writes run one at a time, in order.
@MainActor
final class StateKeeper {
    private let write: @MainActor ([SceneAddress]) async throws -> Void
    private let turns = Turns()
    private var wanted: [SceneAddress] = []
    private var written: [SceneAddress] = []

    /// - Parameter write: stores addresses, and returns when they are on disk.
    init(write: @escaping @MainActor ([SceneAddress]) async throws -> Void) { self.write = write }

    /// Stores addresses. Returns when they are on disk, or when later ones are.
    func keep(_ addresses: [SceneAddress]) async throws {
        wanted = addresses
        await turns.take()
        defer { turns.give() }
        guard written != wanted else { return }
        let next = wanted
        try await write(next)
        written = next
    }
}
