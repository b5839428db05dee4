package import Testing

/// Gives each test, and each case of a parameterized test, its own ``PrivateBus``, available as `PrivateBus.current`.
/// After the test, first its child processes and then the bus are killed.
///
/// On a suite, the trait applies to each test in it. If the bus that `IPC_TEST_BUS` names cannot run, the test fails.
package struct PrivateBusTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let bus = try await PrivateBus.start()
        let result: Result<Void, any Error>
        do {
            try await PrivateBus.$scoped.withValue(bus) { try await withProcessScope(function) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await bus.stop()
        try result.get()
    }
}

extension Trait where Self == PrivateBusTrait {
    /// Gives each test a message bus of its own: ``PrivateBusTrait``.
    package static var privateBus: PrivateBusTrait { PrivateBusTrait() }
}
