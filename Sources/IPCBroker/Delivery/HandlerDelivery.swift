internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// Delivers the requests for one handler. This class makes no decisions: it reports events to the ``RequestLife`` of
/// each request and to the ``HandlerQueue`` of the handler, and performs the actions that they return. An action that
/// one of them returns may be an event for the other.
@DBusActor
final class HandlerDelivery: RequestDelivery {
    let application: ApplicationID
    let path: ObjectPath
    let context: DeliveryContext
    private(set) var queue: HandlerQueue
    /// The connection that currently receives the requests; `nil` if there is none or it is not known yet.
    private var owner: BusName?
    private let timer = DBusTimer()
    private var isProceeding = false

    init(_ application: ApplicationID, _ context: DeliveryContext) throws {
        self.application = application
        path = try ObjectPath(application.objectPath)
        self.context = context
        queue = HandlerQueue(
            of: application, window: context.facts(application).window, limits: context.limits)
        look()
        if context.isServing { report(.opened) }
    }

    var isIdle: Bool { queue.isIdle(at: SystemClock.uptimeMilliseconds()) }
    var isStarting: Bool { queue.isStarting }
    var refusal: String? { queue.refusal(at: SystemClock.uptimeMilliseconds()) }

    // MARK: Events

    /// Reports an event to the queue. ``proceed()`` performs the resulting actions.
    func report(_ event: HandlerQueue.Event) { queue.handle(event, at: SystemClock.uptimeMilliseconds()) }

    func handle(_ event: HandlerQueue.Event) {
        report(event)
        proceed()
    }

    func registered(isOwner: Bool) {
        handle(.registered(window: context.facts(application).window, isOwner: isOwner))
    }

    /// Reports to the queue which connection is the handler now, and whether the route to it is changing.
    func look() {
        reportHandler()
        proceed()
    }

    func reportHandler() {
        owner = context.clients.knownOwner(of: application)
        guard let owner else {
            return report(.handler(context.clients.isRunning(application) ? .unnamed : .absent))
        }
        context.watch(application, at: owner)
        report(.handler(.at(owner.text, isSwitching: context.direct.isSwitching(owner))))
    }

    // MARK: Requests

    func add(_ request: PendingRequest) {
        report(
            .arrived(
                request.id, request.senderQueue, isQueued: request.isQueued, size: request.size,
                isReady: request.life.isAccepted))
    }

    func remove(_ request: PendingRequest) {
        report(.ended(request.id))
        if request.isQueued { request.content = nil }
    }

    func perform(_ action: RequestLife.Action, on request: PendingRequest) {
        switch action {
        case .makeReady: report(.ready(request.id, size: request.size))
        case .prepare: prepare(request)
        case .send: send(request)
        case .putBack(let isSuspect, let isBackedOff):
            report(.putBack(request.id, isSuspect: isSuspect, isBackedOff: isBackedOff))
            if request.isQueued { request.content = nil }
            context.table.watch(request)
        case .writeCrash(let isAlone): context.records.noteHandlerLeft(request, isAlone: isAlone)
        case .noteFailure(let failure): report(.failed(because: "\(application) \(failure.reason)"))
        case .askToCancel:
            request.note(.cancelAsked)
            cancel(request)
        case .giveUp(let delivery, let isCutOff):
            cancel(request)
            if !isCutOff { report(.overdue(request.id, delivery: delivery)) }
        case .end(let end):
            remove(request)
            context.records.ended(request, end)
        }
    }

    /// Asks the handler to stop working on a request. The request ends even if this message is lost.
    private func cancel(_ request: PendingRequest) {
        guard let owner = request.owner else { return }
        let route = context.direct.route(to: owner)
        try? route.connection.notify(URLHandler1.cancelURL, on: route.destination, at: path, request.id.text)
    }

    // MARK: Actions of the queue

    func proceed() {
        guard !isProceeding else { return }
        isProceeding = true
        defer { isProceeding = false }
        while let action = queue.next(at: SystemClock.uptimeMilliseconds()) { perform(action) }
    }

    private func perform(_ action: HandlerQueue.Action) {
        switch action {
        case .dispatch(let id): with(id) { dispatch($0) }
        case .leave(let id, let delivery): with(id) { leave($0, delivery) }
        case .turnBack(let id): with(id) { handle(.turnedBack, of: $0) }
        case .handlerCrashed(let id, let isAlone): with(id) { crashed($0, isAlone: isAlone) }
        case .stillThere(let id): with(id) { deliverAgain($0) }
        case .refuse(let id, let failure): with(id) { refuse($0, failure) }
        case .trace(let id, let step, let detail): with(id) { $0.note(step, detail: detail) }
        case .start: start()
        case .askForOwner: askForOwner()
        case .probe(let name): if let owner = try? BusName(name) { probe(owner) }
        case .confirmCrash(let name): if let owner = try? BusName(name) { confirmCrash(of: owner) }
        case .wake(let time): wake(at: time)
        }
    }

    private func with(_ id: RequestID, _ body: (PendingRequest) -> Void) {
        guard let request = context.table[id] else { return report(.ended(id)) }
        body(request)
    }

    private func dispatch(_ request: PendingRequest) {
        if queue.isFollowed(request.id), context.isFaulty(.reorder) {
            report(.ended(request.id))
            return add(request)
        }
        handle(.turn, of: request)
    }

    private func leave(_ request: PendingRequest, _ delivery: UInt64) {
        if request.isQueued, context.isFaulty(.dropOne) {
            return handle(.undeliverable(RequestEnd(.handled)), of: request)
        }
        request.owner = owner
        handle(.leaves(delivery: delivery), of: request)
    }

    private func wake(at time: UInt64) {
        let now = SystemClock.uptimeMilliseconds()
        timer.set(at: .now + .milliseconds(Int(clamping: time - min(time, now)))) { [weak self] in
            self?.handle(.woke)
        }
    }
}

extension RequestLife.HandlerFailure {
    /// What the handler did, as a phrase that follows its name in a message.
    fileprivate var reason: String {
        switch self {
        case .handedBack: "returned a request unread"
        case .cutConnection: "closed its direct connection"
        }
    }
}
