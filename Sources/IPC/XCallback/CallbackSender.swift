internal import IPCDBus
internal import IPCInterface

/// Which callbacks of x-callback-url the library opens when a request is answered.
public enum CallbackSchemes: Sendable, Hashable {
    /// No callbacks: the handler opens them itself, or ignores them.
    case none
    /// Callbacks to schemes that programs have registered, but not to `https`, `file`, `javascript` and other reserved
    /// schemes, nor to schemes that only the desktop handles.
    case unreserved
    /// All callbacks.
    case all
}

/// Opens the callback of a request when the request is answered. A callback is a separate request, whose outcome is
/// awaited for a short time in the background. It states no source, because its URL comes from the sender, who must not
/// gain this application's rights.
@DBusActor
final class CallbackSender {
    static let time = Duration.seconds(10)
    /// Extra time for the broker to report a time-out.
    private static let margin = Duration.seconds(1)

    var schemes = CallbackSchemes.unreserved
    var failed: (@Sendable (CallbackFailure) -> Void)?
    private let link: BrokerLink
    private var open: UInt64 = 0
    private let closing = WaitingTasks<Void>()

    init(_ link: BrokerLink) { self.link = link }

    func answered(_ id: RequestID, _ url: String, _ outcome: Outcome, _ reply: HandlerReply) {
        guard schemes != .none, let asked = XCallbackURL(url) else { return }
        switch Target(CallbackResult(outcome, reply), of: asked, reserved: schemes == .all) {
        case .none: break
        case .refused(let callback, let scheme, let reason):
            failed?(CallbackFailure(of: id, callback, scheme: scheme, because: reason))
        case .url(let url, let callback, let scheme): send(url, callback, scheme, parent: id)
        }
    }

    private func send(_ url: String, _ callback: XCallbackURL.Callback, _ scheme: URLScheme, parent: RequestID) {
        var options = OpenURLOptions()
        options.id = RequestID.random().text
        options.timeout = Self.time.wireMilliseconds
        options.parent = parent.text
        // Without this, the sender could start desktop applications in the name of this application.
        if schemes != .all { options.desktop = false }
        open += 1
        Task { [options] in
            let failure = await failure(url, options)
            // A call of this library also gets the answer directly, so do not report that its callback failed.
            if let (wasOpened, reason) = failure, !CallbackPlace.isOne(url) {
                failed?(CallbackFailure(of: parent, callback, scheme: scheme, wasOpened: wasOpened, because: reason))
            }
            open -= 1
            if open == 0 { closing.resumeAll(with: ()) }
        }
    }

    /// - Returns: whether the callback was accepted, and why it was not handled; `nil` if it was handled.
    private func failure(_ url: String, _ options: OpenURLOptions) async -> (wasOpened: Bool, reason: String)? {
        do throws(IPCError) {
            let result = try await link.call(
                URLs1.openURL, (url, options), timeout: Self.time + Self.margin, repeatable: true,
                repeated: { ($0.0, $0.1.again(until: nil)) })
            let end = try OpenURLResponse(result)
            return CallbackFailure.reason(end.outcome, end.application, time: Self.time).map { (true, $0) }
        } catch {
            // A broker that predates the option `desktop` rejects it, and never opens URLs with the desktop's handlers.
            guard error.code == .invalidArguments, options.desktop != nil else { return (false, error.message) }
            var options = options
            options.desktop = nil
            return await failure(url, options)
        }
    }

    /// Returns when all callbacks have completed.
    func finish() async {
        if open > 0 { await closing.wait { open > 0 ? nil : () } }
    }
}

extension CallbackSender {
    /// Where the results of a request are sent.
    enum Target: Equatable {
        /// The URL names no callback for this result.
        case none
        /// A callback that must not be opened, and the reason.
        case refused(XCallbackURL.Callback, URLScheme?, String)
        /// The callback URL, with the results as parameters.
        case url(String, XCallbackURL.Callback, URLScheme)

        /// - Parameter reserved: whether schemes such as `https` may be opened.
        init(_ result: CallbackResult, of asked: XCallbackURL, reserved: Bool) {
            let callback = result.callback
            guard let text = asked.url(of: callback), let scheme = (try? URLText(text))?.scheme else {
                let isNamed = asked.parts.parameters[callback.rawValue] != nil
                self = isNamed ? .refused(callback, nil, "it is not a URL") : .none
                return
            }
            guard reserved || !scheme.isReserved else {
                self = .refused(callback, scheme, "the scheme \(scheme.spelling) is reserved")
                return
            }
            let full = QueriedURL(text).adding(result.parameters).text
            if (try? URLText(full)) != nil {
                self = .url(full, callback, scheme)
            } else if callback == .error {
                self = .refused(callback, scheme, "the answer is too large for a URL")
            } else {
                let error = Target(.tooLarge, of: asked, reserved: reserved)
                self = error == .none ? .refused(callback, scheme, "the answer is too large for a URL") : error
            }
        }
    }
}
