/// Stores the addresses of the stack so that they survive `kill -9`. Writes run one at a time, in order.
@MainActor
final class StateKeeper {
    typealias Write = @MainActor ([SceneAddress]) async throws -> Void

    private let write: Write
    private var wanted: [SceneAddress]
    private var written: [SceneAddress]
    private var writing: Task<Void, any Error>?

    /// - Parameters:
    ///   - written: the addresses that are already stored.
    ///   - write: stores addresses, and returns when they are on disk.
    init(written: [SceneAddress], write: @escaping Write) {
        (wanted, self.written, self.write) = (written, written, write)
    }

    /// Stores addresses. Returns when they are on disk, or when later ones are.
    func keep(_ addresses: [SceneAddress]) async throws {
        wanted = addresses
        while written != wanted { try await (writing ?? begin()).value }
    }

    /// Starts a write of the latest addresses. The task updates the properties before any waiting caller resumes.
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
