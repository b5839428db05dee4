public import Testing

/// Gives each test, and each case of a parameterized test, a ``PrivateBroker`` of its own, which is
/// ``PrivateBroker/current``. On a suite, it applies to each test in it.
///
/// The test fails if the broker cannot be started; see ``withPrivateBroker(executable:arguments:_:)``.
public struct PrivateBrokerTrait: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withPrivateBroker { _ in try await function() }
    }
}

extension Trait where Self == PrivateBrokerTrait {
    /// Gives each test a broker on a message bus of its own: ``PrivateBrokerTrait``.
    public static var privateBroker: PrivateBrokerTrait { PrivateBrokerTrait() }
}
