/// Receives the result of a request; for programs that are built with delegates.
///
/// Exactly one of the two methods is called for each request, on the main actor. The delegate is held weakly.
@MainActor
public protocol ServerRequestDelegate<Request>: AnyObject, Sendable {
    associatedtype Request: ServerRequest

    /// Called when the server has answered.
    func request(_ request: Request, didSucceedWith answer: Request.Answer)
    /// Called with the reason when there is no answer.
    func request(_ request: Request, didFailWith error: any Error)
}

extension Relay {
    /// Sends a request and returns at once; the delegate receives the result.
    /// - Returns: the task; if you cancel it, the delegate is notified of a failure.
    @discardableResult
    public func send<Delegate: ServerRequestDelegate>(
        _ request: Delegate.Request, delegate: Delegate
    ) -> Task<Void, Never> {
        Task { @MainActor [weak delegate] in
            do {
                let answer = try await send(request)
                delegate?.request(request, didSucceedWith: answer)
            } catch {
                delegate?.request(request, didFailWith: error)
            }
        }
    }
}
