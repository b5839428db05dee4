/// Is told what became of a request: the style of code that is built with delegates.
///
/// One of the two is called, once for each request, on the main actor. The delegate is held weakly.
@MainActor
public protocol ServerRequestDelegate<Request>: AnyObject, Sendable {
    associatedtype Request: ServerRequest

    /// The server has answered.
    func request(_ request: Request, didSucceedWith answer: Request.Answer)
    /// There is no answer, and why.
    func request(_ request: Request, didFailWith error: any Error)
}

extension Relay {
    /// Sends a request and tells a delegate; returns at once.
    /// - Returns: the work: cancel it to give up, which the delegate is told as a failure.
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
