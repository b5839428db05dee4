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

    init(id: String, url: String, _ work: Task<Result<CallReply, CallFailure>, Never>) {
        (self.id, self.url, self.work) = (id, url, work)
    }

    /// Calls the request off; the delegate is told of a failure unless the reply was faster.
    public func cancel() { work.cancel() }

    func tell(_ delegate: (any OpenURLCallDelegate)?) {
        Task { @MainActor [weak delegate] in
            switch await work.value {
            case .success(let reply): delegate?.openURLCall(self, didFinishWith: reply)
            case .failure(let failure): delegate?.openURLCall(self, didFailWith: failure)
            }
        }
    }
}

extension Application {
    /// Opens a URL and tells a delegate the handler's reply, or why there is none; returns at once. The rest is as in
    /// ``call(_:sending:on:options:)``.
    @discardableResult
    public nonisolated func call(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions(), delegate: any OpenURLCallDelegate
    ) -> OpenURLCall {
        var options = options
        let id = options.id ?? RequestID.random().text
        options.id = id
        let full = options
        let work = Task { () async -> Result<CallReply, CallFailure> in
            do throws(CallFailure) {
                return .success(try await self.call(url, sending: items, on: board, options: full))
            } catch { return .failure(error) }
        }
        let call = OpenURLCall(id: id, url: url, work)
        call.tell(delegate)
        return call
    }
}
