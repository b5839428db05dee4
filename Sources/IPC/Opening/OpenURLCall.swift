/// Receives the result of a call, for code with delegates in place of `await`.
///
/// It is called once for each call, on the main actor. It is held weakly: if it is gone by then, the result is dropped.
@MainActor
public protocol OpenURLCallDelegate: AnyObject, Sendable {
    /// The handler has replied.
    func openURLCall(_ call: OpenURLCall, didFinishWith reply: CallReply)
    /// There is no reply.
    func openURLCall(_ call: OpenURLCall, didFailWith failure: CallFailure)
}

/// A call that reports to a delegate; see ``Application/call(_:sending:on:options:delegate:)``.
///
/// Releasing it does not cancel the call.
public final class OpenURLCall: Sendable {
    /// The id of the request.
    public let id: String
    /// The URL that was opened.
    public let url: String
    private let work: Task<Result<CallReply, CallFailure>, Never>

    init(_ outgoing: OutgoingURL, by application: Application, for delegate: any OpenURLCallDelegate) {
        let id = outgoing.options.id ?? RequestID.random().text
        var identified = outgoing
        identified.options.id = id
        (self.id, url) = (id, outgoing.url)
        work = Task { [identified] () async -> Result<CallReply, CallFailure> in
            do throws(CallFailure) { return .success(try await application.opener.call(identified)) } catch {
                return .failure(error)
            }
        }
        Task { @MainActor [weak delegate] in
            switch await work.value {
            case .success(let reply): delegate?.openURLCall(self, didFinishWith: reply)
            case .failure(let failure): delegate?.openURLCall(self, didFailWith: failure)
            }
        }
    }

    /// Cancels the request. The delegate gets a failure unless the reply was faster.
    public func cancel() { work.cancel() }
}
