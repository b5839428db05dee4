import ArgumentParser
import Foundation
import HTTPRelay

/// The three ways to wait for an answer.
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
        case .delegate:
            try await withCheckedThrowingContinuation { relay.send(request, delegate: Awaited<Request>($0)) }
        case .synchronous:
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try relay.sendAndWait(request) }) }
            }
        }
    }
}

/// A delegate that passes on the result; it implements only the two methods that it needs.
private final class Awaited<Request: ServerRequest>: ServerRequestDelegate {
    private let result: CheckedContinuation<Request.Answer, any Error>

    nonisolated init(_ result: CheckedContinuation<Request.Answer, any Error>) { self.result = result }

    func request(_ request: Request, didSucceedWith answer: Request.Answer) { result.resume(returning: answer) }

    func request(_ request: Request, didFailWith error: any Error) { result.resume(throwing: error) }
}
