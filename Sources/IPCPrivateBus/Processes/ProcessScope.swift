internal import Synchronization

/// The children that belong to a test. They live as long as the scope, even if other references to them exist, and are
/// killed when it closes.
///
/// Without a scope, a child is killed when its ``RunningProcess`` is released, which Swift may do after its last use.
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

    /// Releases a process that has exited, so that a test may run thousands of them; its children may keep running.
    func release(_ process: RunningProcess) {
        children.withLock { children in
            guard children.running.removeValue(forKey: ObjectIdentifier(process)) != nil else { return }
            children.ended.insert(process.pid)
        }
    }

    /// Kills running children, and everything that exited children started; waits until the children are reaped, even
    /// in a cancelled task.
    package func end() async {
        let left = children.withLock { children in
            defer { children = Children() }
            return children
        }
        for process in left.running.values { process.killGroup() }
        await Task {
            for process in left.running.values { _ = try? await process.wait() }
            await ProcessStatus.killSessions(of: left.ended.union(left.running.values.map(\.pid)))
        }.value
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
