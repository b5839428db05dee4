internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

// Sends requests: the steps from a request's turn in the queue to the call to the handler.
extension HandlerDelivery {
    /// Writes the attempt to disk, so that every later attempt has a higher number, and reads the request's content.
    func prepare(_ request: PendingRequest) {
        let trace = request.takeTrace()
        let takesDescriptors = context.facts(application).takesDescriptors
        DBusActor.task {
            do {
                let (attempts, content) = try await self.context.records.attempt(
                    request.id, trace: trace, takesDescriptors: takesDescriptors)
                guard request.life.isLeaving else { return }
                request.content = content
                self.handle(.prepared(attempt: attempts), of: request)
                self.handle(.prepared(request.id))
            } catch {
                request.trace = trace + request.trace
                if request.life.isLeaving { self.couldNotPrepare(request, error) }
            }
        }
    }

    private func couldNotPrepare(_ request: PendingRequest, _ error: any Error) {
        switch (error as? any Condition)?.ipcError {
        case let reason? where reason.code == .payloadInvalid && !context.facts(application).isLive:
            // The payload does not fit. Wait until the handler registers: it may declare that it takes descriptors.
            request.note(.handedBack, detail: reason.message)
            handle(.unprepared(request.id, pause: nil))
        case let reason? where reason.code == .payloadInvalid:
            handle(.undeliverable(RequestEnd(.failed, code: "payload-invalid", because: reason.message)), of: request)
        case let reason? where reason.code == .inputOutput || reason.code == .noSuchRequest || error is RequestError:
            handle(.undeliverable(RequestEnd(.failed, code: "damaged", because: reason.message)), of: request)
        default:
            // The disk is full, no descriptor is free, or the store has failed and the broker is about to stop.
            handle(.unprepared(request.id, pause: 1_000))
        }
    }

    func send(_ request: PendingRequest) {
        guard let delivery = request.life.delivery, let owner = request.owner, let content = request.content else {
            return
        }
        request.answerBy = request.isQueued ? .now + request.answerTime : request.expiry
        context.table.watch(request)
        request.note(.delivered, who: owner.text, size: content.items?.byteCount ?? 0)
        let facts = OpenURLContext(content, of: request)
        if request.isQueued { request.content = nil }
        if request.isQueued, context.isFaulty(.deliverTwice) {
            let other = RequestID.random().text
            context.connection.call(URLHandler1.openURL, on: owner, at: path, (other, content.url, facts)) { _ in
            }
        }
        let route = context.direct.route(to: owner)
        request.isOnDirectRoute = route.isDirect
        route.connection.call(
            URLHandler1.openURL, on: route.destination, at: path, (request.id.text, content.url, facts)
        ) { [weak self] result in
            self?.answered(request, delivery, owner, result)
        }
    }
}

extension OpenURLContext {
    @DBusActor
    fileprivate init(_ content: RequestContent, of request: PendingRequest) {
        self.init()
        sourceApplication = request.source.application
        sourceStrength = request.source.strength.rawValue
        pasteboard = content.pasteboard?.text
        changeCount = content.changeCount
        items = content.items?.reopened()
        annotation = content.kept.annotation
        attempt = request.life.attempts
        timeout = request.answerBy.map { ContinuousClock.now.duration(to: $0).milliseconds }
        activationToken = content.kept.activationToken
    }
}
