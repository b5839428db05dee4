internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// Delivers the requests for one handler: in lines, up to its window, starting it first if need be.
@DBusActor
final class HandlerDelivery {
    private let application: ApplicationID
    private let path: ObjectPath
    private let connection: Connection
    private let activation: Activation
    private let limits: Limits
    private var queue: DeliveryQueue
    private var requests: [RequestID: PendingRequest] = [:]
    private let expiry = DBusTimer()

    init(_ application: ApplicationID, window: Int, connection: Connection, activation: Activation, limits: Limits)
        throws
    {
        self.application = application
        path = try ObjectPath(application.objectPath)
        self.connection = connection
        self.activation = activation
        self.limits = limits
        queue = DeliveryQueue(window: window)
    }

    var isIdle: Bool { requests.isEmpty }

    func setWindow(_ window: Int) {
        queue.window = window
        deliver()
    }

    /// Puts a request in its line and waits for its end.
    /// - Returns: `nil` if the broker ended first.
    func end(of request: PendingRequest) async -> RequestEnd? {
        await withCheckedContinuation { continuation in
            request.ended = continuation
            requests[request.id] = request
            queue.enqueue(request.id, line: request.line)
            deliver()
            if request.state == .waiting { watch(request.deadline) }
        }
    }

    /// Ends a request that was not delivered yet; any other one goes on.
    func cancel(_ id: RequestID, because reason: String) {
        guard let request = requests[id], request.state == .waiting else { return }
        finish(request, RequestEnd(.cancelled, because: reason))
    }

    /// Lets everything go without an end, because the broker ends.
    func abandonAll() {
        for request in requests.values { finish(request, nil) }
    }

    private func deliver() {
        while let id = queue.next() {
            guard let request = requests[id] else { continue }
            DBusActor.task { await self.handOver(request) }
        }
    }

    private func handOver(_ request: PendingRequest) async {
        while request.state == .waiting {
            let owner: BusName
            do throws(Activation.Failure) {
                owner = try await activation.owner(of: application)
            } catch {
                // Those behind it would only meet the same failure, each after its own wait.
                let waiting = queue.cancelAll().compactMap { requests[$0] }
                for request in [request] + waiting { finish(request, Self.unavailable(error)) }
                return
            }
            guard request.state == .waiting else { return }
            if let end = await deliver(request, to: owner) { return finish(request, end) }
        }
    }

    /// - Returns: `nil` if the handler had left before it got the request, so that it may be delivered again.
    private func deliver(_ request: PendingRequest, to owner: BusName) async -> RequestEnd? {
        request.state = .delivered
        request.attempts += 1
        do throws(CallError) {
            let (outcome, reply) = try await connection.call(
                URLHandler1.openURL, on: owner, at: path, (request.id.text, request.url.text, request.context),
                timeout: .milliseconds(Int(request.millisecondsLeft)), startsService: false)
            return end(outcome, reply)
        } catch {
            // The bus says so of a connection that is gone; a handler that says so itself is there.
            let isUnknown = error.isRemote(.serviceUnknown) || error.isRemote(.nameHasNoOwner)
            if isUnknown, (try? await connection.owner(of: owner)) == .some(nil) {
                request.state = .waiting
                request.attempts -= 1
                activation.left(application, owner)
                return nil
            }
            if error == .timedOut { cancelAtHandler(request, owner) }
            return Self.end(error)
        }
    }

    private func cancelAtHandler(_ request: PendingRequest, _ owner: BusName) {
        // A handler that does not hear of it answers into the void, which does no harm.
        try? connection.notify(URLHandler1.cancelURL, on: owner, at: path, request.id.text)
    }

    private func finish(_ request: PendingRequest, _ end: RequestEnd?) {
        guard request.state != .ended else { return }
        var end = end
        end?.attempts = request.attempts
        request.state = .ended
        requests[request.id] = nil
        if !queue.cancel(request.id) { queue.finish(request.id) }
        request.ended?.resume(returning: end)
        request.ended = nil
        deliver()
    }

    // MARK: Time

    /// One timer for all: set for the earliest deadline, and looked at again only when it runs.
    private func watch(_ deadline: ContinuousClock.Instant) {
        if let set = expiry.deadline, set <= deadline { return }
        expiry.set(at: deadline) { [weak self] in self?.expire() }
    }

    private func expire() {
        let now = ContinuousClock.now
        for request in requests.values where request.state == .waiting && request.deadline <= now {
            finish(
                request,
                RequestEnd(.expired, because: "its time passed before it was delivered; the handler never saw it"))
        }
        if let next = requests.values.filter({ $0.state == .waiting }).map(\.deadline).min() { watch(next) }
    }
}

extension HandlerDelivery {
    /// The outcomes that a handler may give.
    private static let handlerOutcomes: Set<Outcome> = [.handled, .declined, .cancelled, .failed]

    private func end(_ word: String, _ reply: HandlerReply) -> RequestEnd {
        guard let outcome = Outcome(rawValue: word), Self.handlerOutcomes.contains(outcome) else {
            return Self.badReply(
                "the handler answered with the outcome “\(word)”; it may answer handled, declined, cancelled or failed")
        }
        do throws(LimitExceeded) { try limits.checkPayload(reply.items ?? []) } catch {
            return Self.badReply("the handler's reply cannot be passed on: \(error)")
        }
        return RequestEnd(
            outcome, attempts: 0, failure: .init(code: reply.errorCode ?? "", message: reply.errorMessage ?? ""),
            reply: reply.items ?? [])
    }

    private static func end(_ error: CallError) -> RequestEnd {
        switch error {
        case .remote(ErrorName.noReply.text, _):
            RequestEnd(
                .failed, name: ErrorName.noReply.text, code: "handler-ended",
                because: "the handler ended before it answered")
        case .remote(let name, let message):
            RequestEnd(.failed, name: name, because: message)
        case .timedOut:
            RequestEnd(.timedOut, because: "the handler did not answer in time; it may have done it all the same")
        case .badReply(let error): badReply("the handler's answer has the wrong shape: \(error)")
        case .unsendable(let error): RequestEnd(.failed, code: "unsendable", because: error.description)
        case .disconnected, .cancelled:
            RequestEnd(.timedOut, because: "the message bus was lost before the handler answered")
        }
    }

    private static func badReply(_ message: String) -> RequestEnd {
        RequestEnd(.failed, code: "bad-reply", because: message)
    }

    private static func unavailable(_ failure: Activation.Failure) -> RequestEnd {
        RequestEnd(.unavailable, name: failure.errorName ?? "", because: failure.message)
    }
}
