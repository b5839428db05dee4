public import IPC

/// Sends requests to the relay, a program that handles `relay:` URLs and fetches from servers for its callers.
public struct Relay: Sendable {
    private let application: Application

    /// How long a request may take on its way to the relay and back, in addition to the two time-outs for the server.
    private static let margin = Duration.seconds(5)

    /// Creates a relay that sends requests in the name of an application.
    public init(_ application: Application) { self.application = application }

    /// Sends a request and returns the answer; the asynchronous style.
    ///
    /// If the task is cancelled, the relay stops fetching.
    /// - Throws: ``ServerFailure`` if there is no answer, and the errors of ``ServerRequest/answer(from:)``.
    public func send<Request: ServerRequest>(_ request: Request) async throws -> Request.Answer {
        try request.answer(from: await response(to: request))
    }

    /// Sends a request and returns its result, successful or not.
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

    /// Asks the program that handles `installid:` URLs for the id of this installation, for
    /// ``RequestParameters/deviceID``.
    /// - Returns: `nil` if there is no such program, or if it replies without text.
    /// - Throws: `CallFailure` if the program cannot return an id, for example because its keyring is locked.
    public func installationID() async throws -> String? {
        try await application.canOpenURL("installid:") ? application.call("installid:").string : nil
    }
}
