internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// What handlers say to what they were sent, and what their silence means.
extension HandlerDelivery {
    func answered(
        _ request: PendingRequest, _ flight: UInt64, _ owner: BusName,
        _ result: Result<(String, HandlerReply), CallError>
    ) {
        if unanswered.remove(flight) {
            answeredLate(request, result)
            return deliver()
        }
        guard request.life.flight == flight else { return }
        switch result {
        case .success(let (word, reply)):
            policy.answered()
            request.note(.answered, who: owner.text, size: (reply.items ?? []).byteCount, detail: word)
            handle(.answered(flight: flight, RequestEnd(word, reply, limits)), of: request)
        case .failure(.remote(IPCError.Code.handlerUnavailable.errorName.text, let message)):
            handBack(request, flight, owner, message)
        case .failure(let error) where error.mayMeanDeparture:
            lookAfter(request, flight, owner, error)
        case .failure(.disconnected) where request.isOnDirectRoute: cutOff(request, flight, owner)
        case .failure(.disconnected), .failure(.cancelled):
            // The broker is about to end: one by one they would only be sent into the void.
            stop()
            handle(.abandoned, of: request)
        case .failure(.unsendable(.descriptorUnavailable)):
            handle(.reachedNobody(flight: flight), of: request)
            pause(milliseconds: 1_000)
        case .failure(let error):
            policy.answered()
            request.note(.answered, who: owner.text, detail: error.isRemote ? "error" : "bad reply")
            handle(.answered(flight: flight, RequestEnd(error)), of: request)
        }
    }

    private func answeredLate(_ request: PendingRequest, _ result: Result<(String, HandlerReply), CallError>) {
        switch result {
        case .success(let (word, _)):
            policy.answered()
            surroundings.records.answeredLate(request, Outcome(handlerWord: word) ?? .failed)
        case .failure(let error) where error.isRemote && !error.mayMeanDeparture:
            policy.answered()
            surroundings.records.answeredLate(request, .failed)
        case .failure: break
        }
    }

    /// The handler did not look at a request, and gets no more until it registers again or somebody else comes.
    private func handBack(_ request: PendingRequest, _ flight: UInt64, _ owner: BusName, _ message: String) {
        request.note(.handedBack, who: owner.text, detail: message)
        if !surroundings.clients.hasDeparted(owner) { refuser = owner }
        handle(.handedBack(flight: flight), of: request)
        deliver()
    }

    /// The bus says of a connection that is gone that it did not answer, or is not there; so may a handler that is.
    private func lookAfter(_ request: PendingRequest, _ flight: UInt64, _ owner: BusName, _ error: CallError) {
        DBusActor.task {
            let isGone = await self.surroundings.hasLeft(owner)
            guard request.life.flight == flight else { return }
            guard isGone else {
                self.policy.answered()
                return self.handle(.answered(flight: flight, RequestEnd(error)), of: request)
            }
            self.surroundings.clients.forget(self.application, owner: owner)
            // Whom the bus could give it to nobody has it; who left with it is looked after with the rest of what it had.
            guard !error.isRemote(.noReply) else { return self.connectionLeft(owner) }
            self.handle(.reachedNobody(flight: flight), of: request)
            self.deliver()
        }
    }

    /// A direct connection ended while its handler had requests. One that is still on the bus gets them again by the bus,
    /// with a higher attempt, since its answers are lost; that it is there is shown by an answer from itself. One that is
    /// not has left.
    private func cutOff(_ request: PendingRequest, _ flight: UInt64, _ owner: BusName) {
        handle(.cutOff(flight: flight), of: request)
        guard !surroundings.clients.hasDeparted(owner), lookedAfter.insert(owner).inserted else { return }
        surroundings.connection.call(Peer.ping, on: owner, at: "/", ()) { [weak self] result in
            guard let self else { return }
            self.lookedAfter.remove(owner)
            switch result {
            case .failure(.disconnected), .failure(.cancelled): self.stop()
            case .failure(let error) where error.mayMeanDeparture: self.connectionLeft(owner)
            default: self.deliverAgain(self.inHand.values.filter { $0.life.isCutOff && $0.owner == owner })
            }
        }
    }

    private func deliverAgain(_ requests: [PendingRequest]) {
        atOnce {
            for request in requests.sorted(by: { $0.number < $1.number }) {
                request.note(
                    .handlerLeft, who: request.owner?.text ?? "", detail: "only its direct connection ended")
                handle(.stillThere, of: request)
            }
        }
        deliver()
    }

    /// The handler left with requests in hand. Who waits learns it at once; what is queued comes again.
    func left(_ owner: BusName, _ inHand: [PendingRequest], isAlone: Bool) {
        let reason = "\(application) left the bus without an answer"
        policy.failed(at: SystemClock.uptimeMilliseconds(), because: reason)
        atOnce {
            for request in inHand.sorted(by: { $0.number < $1.number }) {
                request.note(.handlerLeft, who: owner.text)
                handle(.handlerLeft(isAlone: isAlone, mostCrashes: UInt32(clamping: limits.attempts)), of: request)
            }
        }
    }
}
