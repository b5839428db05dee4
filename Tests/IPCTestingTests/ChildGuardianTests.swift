import IPCTesting
import Testing

@Suite struct ChildGuardianTests {
    private static let marker = "IPC_TEST_MAKES_ORPHANS"

    @Test func `no child outlives a killed test process`() async throws {
        // The test process that is killed cannot remove its files. They are all in this directory, which is removed
        // here.
        let directory = try TemporaryDirectory()
        let tests = try await RunningProcess.start(
            CommandLine.arguments[0],
            ["--testing-library", "swift-testing", "--filter", "ChildGuardianTests/makesOrphans"],
            environment: [
                "PATH": environmentVariable("PATH") ?? "", "IPC_TEST_DIRECTORY": directory.path, Self.marker: "1",
            ])
        let line = try await tests.waitForLine { $0.hasPrefix("children: ") }
        let children = line.split(separator: " ").compactMap { Int32($0) }
        #expect(children.count == 2)
        #expect(children.allSatisfy { ProcessStatus(pid: $0).isRunning })
        // Kill only the test process, not its process group, so that its children are not killed directly.
        try await tests.kill9()
        try await withDeadline("end of the children") {
            while children.contains(where: { ProcessStatus(pid: $0).isRunning }) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    /// Runs only in the process that the test above starts.
    @Test(.enabled(if: environmentVariable(marker) != nil)) func makesOrphans() async throws {
        let bus = try await PrivateBus.start(.daemon)
        let child = try await RunningProcess.start("sleep", ["1000"])
        // Write without `print`, which would keep the line in a buffer, because standard output is a pipe.
        try FileContents.write("children: \(try bus.pid) \(child.pid)\n", to: "/proc/self/fd/1")
        try await RunningProcess.start("cat").wait(deadline: .seconds(60))
        // Keep `child` until here: without a process scope, a child is killed when the last reference to it is gone.
        await child.end()
        await bus.stop()
    }
}
