internal import IPCDBus
internal import IPCInterface

/// Which callbacks of x-callback-url the library opens when a request is answered.
public enum CallbackSchemes: Sendable, Hashable {
    /// None: the receiver opens them itself, or does not want them.
    case none
    /// Those to schemes that programs have registered; not to `https`, `file`, `javascript` and the others that the system
    /// depends on, and not to what only the desktop has a handler for.
    case unreserved
    /// Every one.
    case all
}

/// Opens the callback of a request when that is answered, once.
///
/// A callback is a request that waits for its receiver, in the background and not for long: when its receiver leaves, it
/// ends. It states no source, for its URL is the sender's and not of this application, whose name might open doors.
@DBusActor
final class CallbackSender {
    /// How long a callback has to be handled.
    static let time = Duration.seconds(10)
    /// What the broker's word of that may take.
    private static let margin = Duration.seconds(1)

    var schemes = CallbackSchemes.unreserved
    /// Is told of each callback that came to nothing.
    var failed: (@Sendable (CallbackFailure) -> Void)?
    private let link: BrokerLink
    private var open: UInt64 = 0
    private let closing = WaitingTasks<Void>()

    init(_ link: BrokerLink) { self.link = link }

    func answered(_ id: String, _ url: String, _ outcome: Outcome, _ reply: HandlerReply) {
        guard schemes != .none, let asked = XCallbackURL(url) else { return }
        switch Target(CallbackResult(outcome, reply), of: asked, reserved: schemes == .all) {
        case .nobody: break
        case .refused(let callback, let scheme, let reason):
            failed?(CallbackFailure(of: id, callback, scheme: scheme, because: reason))
        case .url(let url, let callback, let scheme): send(url, callback, scheme, parent: id)
        }
    }

    private func send(_ url: String, _ callback: XCallbackURL.Callback, _ scheme: URLScheme, parent: String) {
        var options = OpenURLOptions()
        options.id = RequestID.random().text
        options.timeout = Self.time.wireMilliseconds
        options.parent = parent
        // The URL is the sender's, who could have programs of the desktop started in our name.
        if schemes != .all { options.desktop = false }
        open += 1
        Task { [options] in
            let failure = await failure(url, options)
            // Who calls by this library has the direct answer, and may be gone by now.
            if let (wasOpened, reason) = failure, !CallbackPlace.isOne(url) {
                failed?(CallbackFailure(of: parent, callback, scheme: scheme, wasOpened: wasOpened, because: reason))
            }
            open -= 1
            if open == 0 { closing.resumeAll(with: ()) }
        }
    }

    /// Opens the URL. What becomes of it changes nothing: the request has its answer.
    /// - Returns: whether it was accepted, and why nobody has handled it; `nil` where somebody has.
    private func failure(_ url: String, _ options: OpenURLOptions) async -> (wasOpened: Bool, reason: String)? {
        do throws(IPCError) {
            let end = try OpenURLResponse(try await open(url, options))
            return CallbackFailure.reason(end.outcome, end.application, time: Self.time).map { (true, $0) }
        } catch { return (false, error.message) }
    }

    private func open(_ url: String, _ options: OpenURLOptions) async throws(IPCError) -> OpenURLResult {
        do throws(IPCError) { return try await call(url, options) } catch {
            // A broker that is older than this option refuses it, and has nothing to do with the desktop.
            guard error.code == .invalidArguments, options.desktop != nil else { throw error }
            var options = options
            options.desktop = nil
            return try await call(url, options)
        }
    }

    private func call(_ url: String, _ options: OpenURLOptions) async throws(IPCError) -> OpenURLResult {
        try await link.call(
            URLs1.openURL, (url, options), timeout: Self.time + Self.margin, repeatable: true,
            repeated: { ($0.0, $0.1.again(until: nil)) })
    }

    /// Returns when every callback has come to its end.
    func finish() async {
        if open > 0 { await closing.wait { open > 0 ? nil : () } }
    }
}

extension CallbackSender {
    /// Where the results of a request go.
    enum Target: Equatable {
        /// The URL names no callback for them.
        case nobody
        /// A callback that may not be opened, and why.
        case refused(XCallbackURL.Callback, URLScheme?, String)
        /// The callback with the results.
        case url(String, XCallbackURL.Callback, URLScheme)

        /// - Parameter reserved: whether schemes such as `https` may be opened.
        init(_ result: CallbackResult, of asked: XCallbackURL, reserved: Bool) {
            let callback = result.callback
            guard let text = asked.url(of: callback), let scheme = (try? URLText(text))?.scheme else {
                let isNamed = asked.parts.parameters[callback.rawValue] != nil
                self = isNamed ? .refused(callback, nil, "it is no URL") : .nobody
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
                let told = Target(.tooLarge, of: asked, reserved: reserved)
                self = told == .nobody ? .refused(callback, scheme, "the answer is too large for a URL") : told
            }
        }
    }
}
