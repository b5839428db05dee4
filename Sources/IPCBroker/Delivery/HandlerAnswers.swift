internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

// Processes the answers of handlers, and decides what a missing answer means.
extension HandlerDelivery {
    typealias Answer = Result<(String, HandlerReply), CallError>

    func answered(
        _ request: PendingRequest, _ delivery: UInt64, _ owner: BusName, _ result: Answer
    ) {
        guard request.life.delivery == delivery else { return answeredLate(request, delivery, owner, result) }
        switch result {
        case .success(let (word, reply)):
            report(.answered)
            request.note(.answered, who: owner.text, size: (reply.items ?? []).byteCount, detail: word)
            handle(.answered(delivery: delivery, RequestEnd(word, reply, context.limits)), of: request)
        case .failure(.remote(IPCError.Code.handlerUnavailable.errorName.text, let message)):
            request.note(.handedBack, who: owner.text, detail: message)
            report(.refused(by: owner.text))
            handle(.handedBack(delivery: delivery), of: request)
        case .failure(let error) where error.mayMeanDeparture: verify(request, delivery, owner, error)
        case .failure(.disconnected) where request.isOnDirectRoute:
            // If the handler has also left the bus, its departure is reported separately.
            if !context.clients.hasDeparted(owner) { report(.cutOff(owner.text)) }
            handle(.cutOff(delivery: delivery), of: request)
        case .failure(let error) where error == .disconnected || error == .cancelled || isRefused(error):
            // The broker is about to stop, so another delivery would only be lost.
            report(.stopped)
            handle(.abandoned, of: request)
        case .failure(.unsendable(.descriptorUnavailable)):
            report(.paused(milliseconds: 1_000))
            handle(.reachedNobody(delivery: delivery), of: request)
        case .failure(let error): accept(error, of: request, delivery, owner)
        }
    }

    /// Whether the handler has not taken the request, because another broker had taken this one's name. The handler then
    /// answers with the error of D-Bus, as it does to any caller that is not the broker.
    private func isRefused(_ error: CallError) -> Bool { !context.isServing && error.isRemote(.accessDenied) }

    private func accept(_ error: CallError, of request: PendingRequest, _ delivery: UInt64, _ owner: BusName) {
        report(.answered)
        request.note(.answered, who: owner.text, detail: error.isRemote ? "error" : "bad reply")
        handle(.answered(delivery: delivery, RequestEnd(error)), of: request)
    }

    private func answeredLate(
        _ request: PendingRequest, _ delivery: UInt64, _ owner: BusName, _ result: Answer
    ) {
        guard queue.isOverdue(delivery: delivery, from: owner.text) else { return }
        report(.answeredLate(delivery: delivery, from: owner.text))
        let outcome: Outcome? =
            switch result {
            case .success(let (word, _)): Outcome(handlerWord: word) ?? .failed
            case .failure(let error): error.isRemote && !error.mayMeanDeparture ? .failed : nil
            }
        if let outcome {
            report(.answered)
            context.records.answeredLate(request, outcome)
        }
        proceed()
    }

    /// Handles an error that the bus sends when a connection has left, but that the handler itself may also send.
    private func verify(_ request: PendingRequest, _ delivery: UInt64, _ owner: BusName, _ error: CallError) {
        DBusActor.task {
            let hasLeft = await self.context.hasLeft(owner)
            guard request.life.delivery == delivery else { return }
            guard hasLeft else { return self.accept(error, of: request, delivery, owner) }
            self.context.clients.forget(self.application, owner: owner)
            self.reportHandler()
            // `NoReply` means that the bus had delivered the request, so the handler had it when it left.
            guard !error.isRemote(.noReply) else { return self.handle(.gone(owner.text)) }
            self.handle(.reachedNobody(delivery: delivery), of: request)
        }
    }

    /// Checks whether a handler whose direct connection closed is still on the bus. If it is, its pending answers are
    /// lost, and its requests are sent to it again over the bus, with a higher attempt number.
    func probe(_ owner: BusName) {
        context.connection.call(Peer.ping, on: owner, at: "/", ()) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(.disconnected), .failure(.cancelled): self.handle(.stopped)
            case .failure(let error) where error.mayMeanDeparture: self.handle(.gone(owner.text))
            default: self.handle(.stillThere(owner.text))
            }
        }
    }

    func deliverAgain(_ request: PendingRequest) {
        guard request.life.isCutOff else { return }
        request.note(.handlerLeft, who: request.owner?.text ?? "", detail: "only its direct connection was closed")
        handle(.stillThere, of: request)
    }

    /// Reports a crash once the bus has answered a query: by then, its errors for undelivered requests have arrived.
    func confirmCrash(of owner: BusName) {
        DBusActor.task {
            _ = try? await self.context.connection.owner(of: owner)
            self.handle(.crashed(owner.text))
        }
    }

    func crashed(_ request: PendingRequest, isAlone: Bool) {
        request.note(.handlerLeft, who: request.owner?.text ?? "")
        let limit = UInt32(clamping: context.limits.crashesPerRequest)
        handle(.handlerCrashed(isAlone: isAlone, limit: limit), of: request)
    }
}
