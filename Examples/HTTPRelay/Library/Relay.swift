public import IPC

/// The relay, as those see it who ask it: whoever handles `relay:` URLs fetches for them.
public struct Relay: Sendable {
    private let application: Application

    /// What the way to the relay and back may take beside both time-outs.
    private static let margin = Duration.seconds(5)

    /// Asks in the name of an application.
    public init(_ application: Application) { self.application = application }

    /// Sends a request and gives the answer; asynchronous style.
    ///
    /// When the task is cancelled, the relay is told so, and gives up.
    /// - Throws: ``ServerFailure`` where the server or the relay gave none, and what ``ServerRequest/answer(from:)`` throws.
    public func send<Request: ServerRequest>(_ request: Request) async throws -> Request.Answer {
        try request.answer(from: await response(to: request))
    }

    /// Sends a request and gives what came of it, be it good or bad.
    public func response(to request: some ServerRequest) async -> ResponseParameters {
        let response = await fetch(request)
        await request.didReceive(response)
        return response
    }

    private func fetch(_ request: some ServerRequest) async -> ResponseParameters {
        do {
            let relayed = try RelayedRequest(request)
            var options = OpenOptions()
            options.timeout = relayed.connectTimeout + relayed.readTimeout + Self.margin
            return try ResponseParameters(
                try await application.call(relayed.text, sending: try relayed.items, options: options))
        } catch let failure as CallFailure {
            return ResponseParameters(failure)
        } catch {
            var response = ResponseParameters(statusCode: nil)
            (response.errorCode, response.errorMessage) = ("bad-request", "\(error)")
            return response
        }
    }
}
