/// Receives the events of a request, for programs that use delegates.
///
/// Every method is optional: the extension below implements each one as an empty method. They are called on the main actor
/// in the order of their declaration, once for each request, but only one of `didSucceedWith` and `didFailWith` is called.
/// The relay keeps a strong reference to the delegate until ``requestDidFinish(_:)`` returns.
@MainActor
public protocol ServerRequestDelegate<Request>: AnyObject, Sendable {
    associatedtype Request: ServerRequest

    /// Called before the request is sent.
    func requestWillSend(_ request: Request)
    /// Called with the server's response, or with the reason why there is none, before it is interpreted.
    func request(_ request: Request, didReceive response: ResponseParameters)
    /// Called with the answer.
    func request(_ request: Request, didSucceedWith answer: Request.Answer)
    /// Called with the reason why there is no answer.
    func request(_ request: Request, didFailWith error: any Error)
    /// Called last, after a success and after a failure.
    func requestDidFinish(_ request: Request)
}

extension ServerRequestDelegate {
    public func requestWillSend(_ request: Request) {}
    public func request(_ request: Request, didReceive response: ResponseParameters) {}
    public func request(_ request: Request, didSucceedWith answer: Request.Answer) {}
    public func request(_ request: Request, didFailWith error: any Error) {}
    public func requestDidFinish(_ request: Request) {}
}

extension Relay {
    /// Sends a request and returns at once; the delegate receives the result.
    /// - Returns: the task; if you cancel it, the delegate is notified of a failure.
    @discardableResult
    public func send<Delegate: ServerRequestDelegate>(
        _ request: Delegate.Request, delegate: Delegate
    ) -> Task<Void, Never> {
        Task { _ = try? await send(request, notifying: delegate) }
    }

    /// Sends a request, notifies the delegate, and returns the answer.
    @MainActor
    func send<Delegate: ServerRequestDelegate>(
        _ request: Delegate.Request, notifying delegate: Delegate
    ) async throws -> Delegate.Request.Answer {
        delegate.requestWillSend(request)
        defer { delegate.requestDidFinish(request) }
        let response = await response(to: request)
        delegate.request(request, didReceive: response)
        do {
            let answer = try request.answer(from: response)
            delegate.request(request, didSucceedWith: answer)
            return answer
        } catch {
            delegate.request(request, didFailWith: error)
            throw error
        }
    }
}
