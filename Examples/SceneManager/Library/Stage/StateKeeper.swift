/// Keeps the addresses of the stack where a `kill -9` does not reach them. One write at a time, so that none overtakes another.
@MainActor
final class StateKeeper {
    typealias Write = @MainActor ([SceneAddress]) async throws -> Void

    private let write: Write
    private var wanted: [SceneAddress]
    private var written: [SceneAddress]
    private var writing: Task<Void, any Error>?

    /// - Parameters:
    ///   - written: what is kept already.
    ///   - write: returns when the addresses are on the disk.
    init(written: [SceneAddress], write: @escaping Write) {
        (wanted, self.written, self.write) = (written, written, write)
    }

    /// Returns when these addresses, or later ones, are on the disk.
    func keep(_ addresses: [SceneAddress]) async throws {
        wanted = addresses
        while written != wanted { try await (writing ?? begin()).value }
    }

    /// Writes what is wanted last. The task puts all in order itself, before anybody who waits for it goes on.
    private func begin() -> Task<Void, any Error> {
        let next = wanted
        let task = Task {
            defer { writing = nil }
            try await write(next)
            written = next
        }
        writing = task
        return task
    }
}
