internal import IPCDBus
internal import IPCInterface

/// Exports `org.freedesktop.Application` on the application's object, for launchers, `gapplication` and desktop entries
/// with `DBusActivatable=true`. Any process may call it, so the source is unknown.
extension Receiver {
    func desktopInterface() -> ExportedInterface {
        ExportedInterface(
            FreedesktopApplication.description,
            methods: [
                FreedesktopApplication.activate.answered(later: { [weak self] data, _, answer in
                    self?.activated?(data.token)
                    answer(.success(()))
                }),
                FreedesktopApplication.open.answered(later: { [weak self] input, _, answer in
                    DBusActor.task {
                        guard let self else { return answer(.failure(ErrorReply.handedBack)) }
                        await self.open(input.0, input.1.token, answer)
                    }
                }),
                FreedesktopApplication.activateAction.answered(later: { input, _, answer in
                    let reason = "there is no action \(input.0.quoted); the application has no actions"
                    answer(.failure(IPCError(.invalidArguments, reason).errorReply))
                }),
            ])
    }

    /// Delivers either all URLs or none. The call is answered once every URL has been answered.
    private func open(_ urls: [String], _ token: String?, _ answer: @escaping DelayedAnswer<Void>) async {
        do throws(IPCError) {
            for url in urls { _ = try URLText(url) }
            try await checkPolicy()
            try requests.open(urls, token, answer)
        } catch { answer(.failure(error.errorReply)) }
    }

    /// Applies the policy as the broker does. The caller is unknown, so only the rule for unlisted sources applies.
    private func checkPolicy() async throws(IPCError) {
        guard link.broker != nil else { return }
        guard try await claims.policy(of: id).allowsOthers else {
            throw IPCError(
                .accessDenied,
                "the policy of \(id) rejects callers without an application id; open the URL through the broker, "
                    + "from an application that the policy allows")
        }
    }
}

extension ReceivedRequests {
    /// The maximum number of unanswered URLs from `org.freedesktop.Application.Open`. The broker's limit for unanswered
    /// requests does not apply to these URLs, because they do not come from the broker.
    static let mostOpened = 64

    /// - Throws: `limitExceeded`. If it throws, no URL was accepted.
    fileprivate func open(
        _ urls: [String], _ token: String?, _ answer: @escaping DelayedAnswer<Void>
    ) throws(IPCError) {
        guard opened + urls.count <= Self.mostOpened else {
            throw IPCError(
                .limitExceeded,
                "\(opened) URLs are waiting for answers, and \(urls.count) more would exceed the limit of "
                    + "\(Self.mostOpened); try again later")
        }
        guard !urls.isEmpty else { return answer(.success(())) }
        var context = OpenURLContext()
        (context.sourceStrength, context.activationToken) = (SourceStrength.unknown.rawValue, token)
        let opening = Opening(of: urls, answer)
        opened += urls.count
        for url in urls {
            take(RequestID.random().text, url, context) { [weak self] result in
                self?.opened -= 1
                opening.answered(url, result)
            }
        }
    }
}

/// The URLs of one `Open` call, until all of them have been answered.
@DBusActor
private final class Opening {
    private var waiting: Int
    private var failure: ErrorReply?
    private let answer: DelayedAnswer<Void>

    init(of urls: [String], _ answer: @escaping DelayedAnswer<Void>) {
        waiting = urls.count
        self.answer = answer
    }

    func answered(_ url: String, _ result: Result<PendingAnswer.Content, any Error>) {
        waiting -= 1
        if failure == nil { failure = Self.failure(of: url, result) }
        guard waiting == 0 else { return }
        answer(failure.map { .failure($0) } ?? .success(()))
    }

    private static func failure(of url: String, _ result: Result<PendingAnswer.Content, any Error>) -> ErrorReply? {
        switch result {
        case .success((Outcome.handled.rawValue, _)): nil
        case .success((let outcome, let reply)):
            ErrorReply(.failed, "\(url.quoted): " + ([outcome] + reply.reasons).joined(separator: ": "))
        case .failure(let error): error as? ErrorReply ?? ErrorReply(.failed, "\(url.quoted): \(error)")
        }
    }
}

extension HandlerReply {
    fileprivate var reasons: [String] { [errorCode, errorMessage].compactMap(\.self).filter { !$0.isEmpty } }
}
