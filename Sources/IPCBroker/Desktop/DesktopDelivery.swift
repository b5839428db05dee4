internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// Delivers requests to desktop applications. If an application has a bus name, the URL is passed with
/// `org.freedesktop.Application.Open`, and the answer is awaited. Any other application is started with the URL. A
/// desktop application takes any number of URLs at once. So deliveries are not limited and there are no sender queues:
/// each request is sent as soon as it is accepted.
@DBusActor
final class DesktopDelivery: RequestDelivery {
    private let context: DeliveryContext
    private let program: DesktopProgram?

    init(_ context: DeliveryContext, _ program: DesktopProgram?) {
        (self.context, self.program) = (context, program)
    }

    func perform(_ action: RequestLife.Action, on request: PendingRequest) {
        switch action {
        case .makeReady: begin(request)
        case .send: context.table.watch(request)
        // A desktop application cannot be asked to stop, so its answer decides the outcome.
        case .askToCancel: request.note(.cancelAsked)
        case .end(let end): context.records.ended(request, end)
        // Desktop applications have no sender queues, no recorded attempts and no redeliveries.
        case .prepare, .putBack, .writeCrash, .noteFailure, .giveUp: break
        }
    }

    private func begin(_ request: PendingRequest) {
        guard let handler = request.desktop, let content = request.content else { return }
        if let service = handler.service { open(request, content, service) } else { launch(request, content, handler) }
    }

    /// Starts the application if necessary, then calls its unique name. A call to its well-known name would also make
    /// the bus start it, but might be delivered after the request has ended.
    private func open(_ request: PendingRequest, _ content: RequestContent, _ service: ApplicationID) {
        DBusActor.task {
            if !self.context.clients.isRunning(service) {
                request.note(.starting)
                if let failure = await self.context.start(service) {
                    return self.fail(request, name: failure.errorName, failure.message)
                }
            }
            let owner = try? await self.context.clients.owner(of: service)
            guard request.life.isUnsent else { return }
            guard let owner, let path = try? ObjectPath(service.objectPath) else {
                return self.fail(request, "\(service) was started, but exited at once")
            }
            self.leave(request, to: owner.text)
            let data = PlatformData(activationToken: content.kept.activationToken)
            self.context.connection.call(
                FreedesktopApplication.open, on: owner, at: path, ([content.url], data)
            ) { self.answered(request, owner, $0) }
        }
    }

    private func answered(_ request: PendingRequest, _ owner: BusName, _ result: Result<Void, CallError>) {
        switch result {
        case .success:
            request.note(.answered, who: owner.text)
            handle(.answered(delivery: 1, RequestEnd(.delivered)), of: request)
        case .failure(.disconnected), .failure(.cancelled): handle(.abandoned, of: request)
        case .failure(let error) where error.mayMeanDeparture:
            handle(.handlerCrashed(isAlone: true, limit: 1), of: request)
        case .failure(let error):
            request.note(.answered, who: owner.text, detail: error.isRemote ? "error" : "bad reply")
            handle(.answered(delivery: 1, RequestEnd(error)), of: request)
        }
    }

    private func launch(_ request: PendingRequest, _ content: RequestContent, _ handler: DesktopHandler) {
        DBusActor.task {
            guard let program = self.program else {
                return self.fail(request, DesktopProgram.refusal)
            }
            let failure = await program.launch(handler, content.url, token: content.kept.activationToken) {
                guard request.life.isUnsent else { return false }
                self.leave(request, to: handler.entry)
                return true
            }
            if let failure {
                return self.fail(request, "\(handler.entry) cannot be started: \(failure)")
            }
            self.handle(.answered(delivery: 1, RequestEnd(.delivered)), of: request)
        }
    }

    private func leave(_ request: PendingRequest, to who: String) {
        request.answerBy = request.expiry
        handle(.turn, of: request)
        handle(.leaves(delivery: 1), of: request)
        request.note(.delivered, who: who)
    }

    private func fail(_ request: PendingRequest, name: String = "", _ reason: String) {
        request.note(.startFailed, detail: reason)
        handle(.undeliverable(RequestEnd(.unavailable, name: name, because: reason)), of: request)
    }
}
