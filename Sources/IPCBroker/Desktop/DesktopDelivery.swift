internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// Delivers requests to programs of the desktop: those with a bus name by `org.freedesktop.Application.Open`, whose answer
/// is awaited; others by starting them.
///
/// These programs take any number of URLs, in order, and have neither windows nor lines: what comes is sent.
@DBusActor
final class DesktopDelivery {
    private let surroundings: DeliverySurroundings
    private let program: DesktopProgram?
    private var requests: [RequestID: PendingRequest] = [:]

    init(_ surroundings: DeliverySurroundings, _ program: DesktopProgram?) {
        (self.surroundings, self.program) = (surroundings, program)
    }

    func enqueue(_ request: PendingRequest) {
        requests[request.id] = request
        request.isArriving = true
    }

    /// A request is accepted. What would have ended it meanwhile ends it now.
    func ready(_ request: PendingRequest) {
        request.isArriving = false
        if let early = request.earlyEnd { return end(request, early.content) }
        guard let handler = request.desktop, let content = request.content, request.state == .waiting else { return }
        if let service = handler.service { open(request, content, service) } else { launch(request, content, handler) }
    }

    /// Takes a request out that was not accepted.
    func withdraw(_ request: PendingRequest) { takeOut(request) }

    func callOff(_ request: PendingRequest, as end: RequestEnd) {
        switch request.state {
        case .waiting, .leaving: self.end(request, end)
        // Nobody there understands that it is to stop; its answer decides.
        case .delivered: request.note(.cancelAsked)
        case .ended: break
        }
    }

    func deadlinePassed(_ request: PendingRequest) {
        switch request.state {
        case .waiting, .leaving:
            end(request, RequestEnd(.expired, because: "its time passed before it was delivered"))
        case .delivered:
            end(
                request,
                RequestEnd(.timedOut, because: "the program did not answer in time; it may have done it all the same"))
        case .ended: break
        }
    }

    /// Lets everything go without an end, because the broker ends.
    func abandonAll() { for request in requests.values { end(request, nil) } }

    // MARK: Ways

    /// The program is started by itself and called by its unique name: a call that starts it would be delivered even after
    /// the request has ended.
    private func open(_ request: PendingRequest, _ content: RequestContent, _ service: ApplicationID) {
        DBusActor.task {
            if !self.surroundings.clients.isRunning(service) {
                request.note(.starting)
                if let failure = await self.surroundings.start(service) {
                    return self.fail(request, name: failure.errorName, failure.message)
                }
            }
            let owner = try? await self.surroundings.clients.owner(of: service)
            guard request.state == .waiting else { return }
            guard let owner, let path = try? ObjectPath(service.objectPath) else {
                return self.fail(request, name: nil, "\(service) was started and ended at once")
            }
            self.leave(request, to: owner.text)
            let data = PlatformData(activationToken: content.kept.activationToken)
            self.surroundings.connection.call(
                FreedesktopApplication.open, on: owner, at: path, ([content.url], data)
            ) { self.answered(request, owner, $0) }
        }
    }

    private func answered(_ request: PendingRequest, _ owner: BusName, _ result: Result<Void, CallError>) {
        switch result {
        case .success:
            request.note(.answered, who: owner.text)
            end(request, RequestEnd(.delivered))
        case .failure(.disconnected), .failure(.cancelled): end(request, nil)
        case .failure(let error) where error.mayMeanDeparture: end(request, .handlerEnded)
        case .failure(let error):
            request.note(.answered, who: owner.text, detail: error.isRemote ? "error" : "bad reply")
            end(request, RequestEnd(error))
        }
    }

    private func launch(_ request: PendingRequest, _ content: RequestContent, _ handler: DesktopHandler) {
        DBusActor.task {
            guard let program = self.program else {
                return self.fail(request, name: nil, "this broker starts no programs of the desktop")
            }
            let failure = await program.launch(handler, content.url, token: content.kept.activationToken) {
                guard request.state == .waiting else { return false }
                self.leave(request, to: handler.entry)
                return true
            }
            if let failure {
                return self.fail(request, name: nil, "\(handler.entry) cannot be started: \(failure)")
            }
            self.end(request, RequestEnd(.delivered))
        }
    }

    private func leave(_ request: PendingRequest, to who: String) {
        request.attempts += 1
        request.state = .delivered
        request.answerBy = request.expiry
        surroundings.table.watch(request)
        request.note(.delivered, who: who)
    }

    // MARK: Ends

    private func fail(_ request: PendingRequest, name: String?, _ reason: String) {
        request.note(.startFailed, detail: reason)
        end(request, RequestEnd(.unavailable, name: name ?? "", because: reason))
    }

    private func end(_ request: PendingRequest, _ end: RequestEnd?) {
        _ = surroundings.end(request, end, by: takeOut)
    }

    private func takeOut(_ request: PendingRequest) {
        request.state = .ended
        // The same id may have come again.
        if requests[request.id] === request { requests[request.id] = nil }
    }
}
