internal import IPCDBus
internal import IPCInterface

/// `org.freedesktop.Application` on the application's object, beside what the broker calls: launchers, `gapplication` and
/// desktop entries with `DBusActivatable=true` reach it there. Anybody may call it, so it takes nobody's word for who asks.
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
                    let reason = "there is no action \(input.0.quoted); the application has none"
                    answer(.failure(IPCError(.invalidArguments, reason).errorReply))
                }),
            ])
    }

    /// Gives the URLs to the application, all of them or none, and answers when each has its answer.
    private func open(_ urls: [String], _ token: String?, _ answer: @escaping DelayedAnswer<Void>) async {
        do throws(IPCError) {
            for url in urls { try check(url: url) }
            try await checkPolicy()
            try deliveries.open(urls, token, answer)
        } catch { answer(.failure(error.errorReply)) }
    }

    /// What the broker holds for requests holds here too: of who calls nothing is known, so no rule that allows matches.
    private func checkPolicy() async throws(IPCError) {
        guard link.broker != nil else { return }
        let policy = try await link.call(Schemes1.getPolicy, (id.text, NoOptions()), repeatable: true)
        guard policy.others != "deny" else {
            throw IPCError(
                .accessDenied,
                "the policy of \(id) refuses who does not own an id; open the URL by the broker, from an application that "
                    + "it allows")
        }
    }
}

extension Deliveries {
    /// URLs that came by `org.freedesktop.Application.Open` and wait for their answers, at most; beside the window, for
    /// the broker does not count them.
    static let mostOpened = 64

    /// Takes URLs in that nobody has delivered; the answer comes when all of them have theirs.
    /// - Throws: `limitExceeded`, and takes none.
    func open(
        _ urls: [String], _ token: String?, _ answer: @escaping DelayedAnswer<Void>
    ) throws(IPCError) {
        guard opened + urls.count <= Self.mostOpened else {
            throw IPCError(
                .limitExceeded,
                "\(opened) URLs wait for their answers, and \(urls.count) more would be more than \(Self.mostOpened); "
                    + "try again later")
        }
        guard !urls.isEmpty else { return answer(.success(())) }
        var context = OpenURLContext()
        (context.sourceStrength, context.activationToken) = (SourceStrength.unknown.rawValue, token)
        let opening = Opening(of: urls, answer)
        opened += urls.count
        for url in urls {
            let id = RequestID.random().text
            let pending = PendingAnswer {
                opening.answered(url, $0)
            } ended: { [weak self] end in
                self?.openedEnded(id, url, end)
            }
            inbox.add(OpenURLRequest(id: id, url: url, context: context, answer: pending))
        }
    }

    private func openedEnded(_ id: String, _ url: String, _ end: PendingAnswer.End) {
        opened -= 1
        if case .given(let outcome, let reply) = end { callbacks.answered(id, url, outcome, reply) }
    }
}

/// The URLs of one call, until each has its answer.
@DBusActor
private final class Opening {
    private var waiting: Int
    /// What went wrong, the first of it.
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
    /// Why, as a word and as a sentence, as far as they were said.
    fileprivate var reasons: [String] { [errorCode, errorMessage].compactMap(\.self).filter { !$0.isEmpty } }
}
