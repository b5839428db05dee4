/// Is told what became of a call; for code that is built with delegates rather than with `await`.
///
/// It is called once for each call, on the main actor, and held weakly: where it is gone by then, nobody is told.
@MainActor
public protocol OpenURLCallDelegate: AnyObject, Sendable {
    /// The handler has replied.
    func openURLCall(_ call: OpenURLCall, didFinishWith reply: CallReply)
    /// There is no reply.
    func openURLCall(_ call: OpenURLCall, didFailWith failure: CallFailure)
}

/// A call whose delegate is told what became of it; see ``Application/call(_:sending:on:options:delegate:)``.
///
/// It goes on when it is let go.
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
        report(to: delegate)
    }

    /// Calls the request off; the delegate is told of a failure unless the reply was faster.
    public func cancel() { work.cancel() }

    private func report(to delegate: (any OpenURLCallDelegate)?) {
        Task { @MainActor [weak delegate] in
            switch await work.value {
            case .success(let reply): delegate?.openURLCall(self, didFinishWith: reply)
            case .failure(let failure): delegate?.openURLCall(self, didFailWith: failure)
            }
        }
    }
}
