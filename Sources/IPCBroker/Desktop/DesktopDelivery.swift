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

    func enqueue(_ request: PendingRequest) { requests[request.id] = request }

    /// A request is accepted.
    func ready(_ request: PendingRequest) { handle(.stored, of: request) }

    /// Takes a request out that was not accepted.
    func withdraw(_ request: PendingRequest) {
        handle(.withdrawn, of: request)
        takeOut(request)
    }

    func callOff(_ request: PendingRequest, as end: RequestEnd) { handle(.calledOff(end), of: request) }

    func deadlinePassed(_ request: PendingRequest) { handle(.timePassed(isHandlerStarting: false), of: request) }

    /// Ends all requests without an end, because the broker ends.
    func abandonAll() { for request in requests.values { handle(.abandoned, of: request) } }

    private func handle(_ event: RequestLife.Event, of request: PendingRequest) {
        for action in request.life.handle(event) { perform(action, on: request) }
    }

    private func perform(_ action: RequestLife.Action, on request: PendingRequest) {
        switch action {
        case .makeReady: begin(request)
        case .send: surroundings.table.watch(request)
        // No program of the desktop understands that it is to stop; its answer decides.
        case .askToCancel: request.note(.cancelAsked)
        case .end(let end):
            takeOut(request)
            surroundings.records.ended(request, end)
        // There are no lines, no attempts on the disk and no later deliveries.
        case .prepare, .putBack, .writeDeparture, .blame, .giveUp: break
        }
    }

    private func begin(_ request: PendingRequest) {
        guard let handler = request.desktop, let content = request.content else { return }
        if let service = handler.service { open(request, content, service) } else { launch(request, content, handler) }
    }

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
            guard request.life.isUnsent else { return }
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
            handle(.answered(flight: 1, RequestEnd(.delivered)), of: request)
        case .failure(.disconnected), .failure(.cancelled): handle(.abandoned, of: request)
        case .failure(let error) where error.mayMeanDeparture:
            handle(.handlerLeft(isAlone: true, mostCrashes: 1), of: request)
        case .failure(let error):
            request.note(.answered, who: owner.text, detail: error.isRemote ? "error" : "bad reply")
            handle(.answered(flight: 1, RequestEnd(error)), of: request)
        }
    }

    private func launch(_ request: PendingRequest, _ content: RequestContent, _ handler: DesktopHandler) {
        DBusActor.task {
            guard let program = self.program else {
                return self.fail(request, name: nil, "this broker starts no programs of the desktop")
            }
            let failure = await program.launch(handler, content.url, token: content.kept.activationToken) {
                guard request.life.isUnsent else { return false }
                self.leave(request, to: handler.entry)
                return true
            }
            if let failure {
                return self.fail(request, name: nil, "\(handler.entry) cannot be started: \(failure)")
            }
            self.handle(.answered(flight: 1, RequestEnd(.delivered)), of: request)
        }
    }

    private func leave(_ request: PendingRequest, to who: String) {
        request.answerBy = request.expiry
        handle(.turn, of: request)
        handle(.leaves(flight: 1), of: request)
        request.note(.delivered, who: who)
    }

    // MARK: Ends

    private func fail(_ request: PendingRequest, name: String?, _ reason: String) {
        request.note(.startFailed, detail: reason)
        handle(.undeliverable(RequestEnd(.unavailable, name: name ?? "", because: reason)), of: request)
    }

    private func takeOut(_ request: PendingRequest) {
        // The same id may have come again.
        if requests[request.id] === request { requests[request.id] = nil }
    }
}
