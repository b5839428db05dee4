import ArgumentParser
import Foundation
import HTTPRelay

/// The three ways to wait for an answer, for three styles of programs.
enum WaitingStyle: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The program waits with `await`.
    case asynchronous
    /// A delegate is notified of success or failure.
    case delegate
    /// A separate thread blocks until the answer arrives.
    case synchronous

    /// Sends a request and waits for the answer in this style.
    func send<Request: ServerRequest>(_ request: Request, _ relay: Relay) async throws -> Request.Answer {
        switch self {
        case .asynchronous: try await relay.send(request)
        case .delegate: try await Awaited<Request>.answer(to: request, relay)
        case .synchronous: try await Self.onThreadOfItsOwn { try relay.sendAndWait(request) }
        }
    }

    private static func onThreadOfItsOwn<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

/// A delegate for one request, which stores the result.
@MainActor
private final class Awaited<Request: ServerRequest>: ServerRequestDelegate {
    private var told: CheckedContinuation<Request.Answer, any Error>?

    static func answer(to request: Request, _ relay: Relay) async throws -> Request.Answer {
        let delegate = Awaited()
        // The request holds its delegate weakly, so keep the delegate alive until the result arrives.
        defer { withExtendedLifetime(delegate) {} }
        return try await withCheckedThrowingContinuation { continuation in
            delegate.told = continuation
            relay.send(request, delegate: delegate)
        }
    }

    func request(_ request: Request, didSucceedWith answer: Request.Answer) { told?.resume(returning: answer) }

    func request(_ request: Request, didFailWith error: any Error) { told?.resume(throwing: error) }
}
