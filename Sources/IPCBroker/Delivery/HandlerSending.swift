internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

// The way of a request out of its line, over the disk if need be, to the handler.
extension HandlerDelivery {
    func leave(_ request: PendingRequest, for owner: BusName) {
        request.owner = owner
        inHand[request.id] = request
        bytesInFlight += request.size
        handle(.turn, of: request)
        // With nothing before it, it leaves at once.
        if leaving.isEmpty, request.life.isReadyToLeave { return dispatch(request) }
        leaving.append(request)
        surroundings.table.watch(request)
        if request.life.isReadyToLeave { isDue = true }
    }

    /// Has the attempt written down, so that a later one has a higher number whatever happens, and reads what is sent.
    func prepare(_ request: PendingRequest) {
        let trace = request.takeTrace()
        let takesDescriptors = surroundings.facts(application).takesDescriptors
        DBusActor.task {
            do {
                let (attempts, content) = try await self.surroundings.records.attempt(
                    request.id, trace: trace, takesDescriptors: takesDescriptors)
                guard request.life.isLeaving else { return }
                request.content = content
                self.handle(.prepared(attempt: attempts), of: request)
                self.deliver()
            } catch {
                self.couldNotPrepare(request, error, trace)
            }
        }
    }

    private func couldNotPrepare(_ request: PendingRequest, _ error: any Error, _ trace: [TraceStep]) {
        request.trace = trace + request.trace
        guard request.life.isLeaving else { return }
        switch (error as? any Condition)?.ipcError {
        case let reason? where reason.code == .payloadInvalid && !surroundings.facts(application).isLive:
            // It may take descriptors: it says so when it registers.
            refuser = request.owner
            request.note(.handedBack, detail: reason.message)
            putBackLeaving { $0.line == request.line }
        case let reason? where reason.code == .payloadInvalid:
            handle(.undeliverable(RequestEnd(.failed, code: "payload-invalid", because: reason.message)), of: request)
        case let reason? where reason.code == .inputOutput || reason.code == .noSuchRequest || error is RequestError:
            handle(.undeliverable(RequestEnd(.failed, code: "damaged", because: reason.message)), of: request)
        default:
            // The disk is full or no descriptor is left; or the store has failed, and the broker is about to end. What is
            // behind it in its line does not leave before it; other lines go on.
            putBackLeaving { $0.line == request.line }
            deliver(inMilliseconds: 1_000)
        }
    }

    /// Sends what is ready, nothing before what came before it in its line.
    func sendReady() {
        if !leaving.isEmpty, let owner = surroundings.clients.knownOwner(of: application), isHeldUp(owner) { return }
        while let request = leaving.takeReady() { dispatch(request) }
    }

    /// Whether nothing may be sent to the handler now: what was sent before is on another way, or comes again first.
    func isHeldUp(_ owner: BusName) -> Bool {
        lookedAfter.contains(owner) || surroundings.isHeldUp(application, owner)
    }

    /// Sends a request whose turn has come, if its handler is still the one for which it left its line.
    private func dispatch(_ request: PendingRequest) {
        guard !isEnding, request.content != nil else { return handle(.turnedBack, of: request) }
        guard surroundings.clients.knownOwner(of: application) == request.owner else {
            handle(.turnedBack, of: request)
            putBackLeaving { _ in true }
            return deliver()
        }
        if request.isQueued, surroundings.isFaulty(.dropOne) {
            return handle(.undeliverable(RequestEnd(.handled)), of: request)
        }
        flights += 1
        handle(.leaves(flight: flights), of: request)
    }

    func send(_ request: PendingRequest) {
        guard let flight = request.life.flight, let owner = request.owner, let content = request.content else { return }
        request.answerBy = request.isQueued ? .now + request.answerTime : request.expiry
        surroundings.table.watch(request)
        request.note(.delivered, who: owner.text, size: content.items?.byteCount ?? 0)
        if user != owner {
            user = owner
            surroundings.uses[owner, default: []].insert(application)
        }
        let context = OpenURLContext(content, of: request)
        if request.isQueued { request.content = nil }
        if request.isQueued, surroundings.isFaulty(.deliverTwice) {
            let other = RequestID.random().text
            surroundings.connection.call(URLHandler1.openURL, on: owner, at: path, (other, content.url, context)) { _ in
            }
        }
        let route = surroundings.direct.route(to: owner)
        request.isOnDirectRoute = route.isDirect
        route.connection.call(
            URLHandler1.openURL, on: route.destination, at: path, (request.id.text, content.url, context)
        ) { [weak self] result in
            self?.answered(request, flight, owner, result)
        }
    }
}
