internal import Synchronization

/// The children that belong to a test: they live as long as the scope, whoever else holds them, and are killed at its
/// end.
///
/// Without a scope a child is killed when its ``RunningProcess`` is released, which Swift may do after its last use.
package final class ProcessScope: Sendable {
    @TaskLocal package static var current: ProcessScope?

    private struct Children: Sendable {
        var running: [ObjectIdentifier: RunningProcess] = [:]
        var ended: Set<Int32> = []
    }

    private let children = Mutex(Children())

    package init() {}

    func hold(_ process: RunningProcess) {
        children.withLock { $0.running[ObjectIdentifier(process)] = process }
    }

    /// Lets go of a process that has ended, so that a test may run thousands; what it started may live.
    func release(_ process: RunningProcess) {
        children.withLock { children in
            guard children.running.removeValue(forKey: ObjectIdentifier(process)) != nil else { return }
            children.ended.insert(process.pid)
        }
    }

    /// Kills what still runs, and what was started by what has ended; waits until the children are reaped.
    package func end() async {
        let left = children.withLock { children in
            defer { children = Children() }
            return children
        }
        for process in left.running.values { process.killGroup() }
        for process in left.running.values { _ = try? await process.wait() }
        await ProcessStatus.killSessions(of: left.ended.union(left.running.values.map(\.pid)))
    }
}

/// Runs `body`; the children that it starts are gone when this returns.
package func withProcessScope<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
    let scope = ProcessScope()
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await ProcessScope.$current.withValue(scope, operation: body))
    } catch {
        result = .failure(error)
    }
    await scope.end()
    return try result.get()
}
