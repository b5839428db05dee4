internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// Delivers the requests for one handler: in lines, up to its window, starting it first if need be.
///
/// It does something when something happens: a request comes or becomes ready, the handler appears, answers or leaves,
/// a time is over. Nothing here waits. What happens in several steps is done ``atOnce(_:)``, and only then is delivered
/// what those steps have made possible.
@DBusActor
final class HandlerDelivery {
    let application: ApplicationID
    let path: ObjectPath
    let surroundings: DeliverySurroundings
    var queue: DeliveryQueue
    var requests: [RequestID: PendingRequest] = [:]
    /// How many of them have a sender who waits.
    private(set) var waitingSenders = 0
    /// What the handler has, or is about to get.
    var inHand: [RequestID: PendingRequest] = [:]
    var leaving = LeavingRequests()
    var bytesInFlight: UInt64 = 0
    /// Requests that have a pause before they are delivered again.
    private var heldBack: [RequestID] = []
    var unanswered = UnansweredRequests()
    var flights: UInt64 = 0
    /// The connection that gave a request back without a look.
    var refuser: BusName?
    /// Connections whose direct connection has ended, until it is known whether they are still there.
    var lookedAfter: Set<BusName> = []
    /// The connection that is known to have something of this handler.
    var user: BusName?
    var policy: StartPolicy
    var isStarting = false
    /// Whether the bus has told of other programs since it was asked whether it can start this one.
    var asksAgain = false
    private var isAskingForOwner = false
    /// Whether nothing is delivered any more, because the broker ends.
    var isEnding = false
    /// Whether nothing can be sent for a while; it ends with the timer.
    private var isPaused = false
    private var isBusy = false
    var isDue = false
    private let timer = DBusTimer()

    init(_ application: ApplicationID, _ surroundings: DeliverySurroundings) throws {
        self.application = application
        path = try ObjectPath(application.objectPath)
        self.surroundings = surroundings
        queue = DeliveryQueue(window: surroundings.facts(application).window)
        policy = StartPolicy(limits: surroundings.limits)
    }

    var limits: Limits { surroundings.limits }

    /// Whether there is nothing to do and nothing to remember.
    var isIdle: Bool {
        requests.isEmpty && unanswered.isEmpty && !isStarting && refuser == nil
            && policy.isQuiet(at: SystemClock.uptimeMilliseconds())
    }

    // MARK: What happens

    /// Takes a request's place in its line.
    func enqueue(_ request: PendingRequest) {
        requests[request.id] = request
        if !request.isQueued { waitingSenders += 1 }
        queue.enqueue(request.id, line: request.line, isReady: request.life.isAccepted)
    }

    /// A request is on the disk, if it has to be.
    func ready(_ request: PendingRequest) {
        handle(.stored, of: request)
        deliver()
    }

    /// Takes a request out that was not accepted.
    func withdraw(_ request: PendingRequest) {
        handle(.withdrawn, of: request)
        takeOut(request)
        deliver()
    }

    /// The application registered: it is there, and may have another window.
    func registered(isOwner: Bool) {
        if isOwner { refuser = nil }
        queue.window = surroundings.facts(application).window
        deliver()
    }

    /// A connection has left the bus.
    func connectionLeft(_ owner: BusName) {
        if refuser == owner { refuser = nil }
        if user == owner { user = nil }
        let hadMore = unanswered.forget(owner)
        DBusActor.task {
            // What the bus could give to nobody is told by errors that come before this answer.
            _ = try? await self.surroundings.connection.owner(of: owner)
            let rest = self.inHand.values.filter { $0.life.isDelivered && $0.owner == owner }
            if !rest.isEmpty { self.left(owner, rest, isAlone: rest.count == 1 && !hadMore) }
            self.deliver()
        }
    }

    /// Somebody else owns the application's name now, or nobody.
    func ownerChanged() { deliver() }

    /// The bus can start other programs than before.
    func activatableChanged() {
        asksAgain = isStarting
        deliver()
    }

    /// Calls a request off: at once if it has not left, else by asking the handler.
    func callOff(_ request: PendingRequest, as end: RequestEnd) { handle(.calledOff(end), of: request) }

    /// The time of a request is over.
    func deadlinePassed(_ request: PendingRequest) { handle(.timePassed(isHandlerStarting: isStarting), of: request) }

    /// Lets everything go without an end, because the broker ends.
    func abandonAll() {
        stop()
        atOnce { for request in requests.values { handle(.abandoned, of: request) } }
    }

    /// Delivers nothing more.
    func stop() {
        isEnding = true
        timer.cancel()
    }

    // MARK: Delivering

    /// Delivers what can be delivered now, and sees to it that the rest can be later.
    func deliver() {
        guard !isBusy else {
            isDue = true
            return
        }
        atOnce { isDue = true }
    }

    /// Does several things as one: what they make deliverable leaves when all of them are done.
    func atOnce(_ steps: () -> Void) {
        guard !isBusy else { return steps() }
        isBusy = true
        steps()
        while isDue {
            isDue = false
            sendReady()
            deliverNow()
        }
        isBusy = false
    }

    private func deliverNow() {
        guard surroundings.isServing, !isEnding, !isPaused else { return }
        releaseHeldBack()
        guard queue.first != nil else { return }
        guard surroundings.clients.isRunning(application) else { return start() }
        guard let owner = surroundings.clients.knownOwner(of: application) else { return askForOwner() }
        guard owner != refuser, !isStuck(owner), !isHeldUp(owner) else { return }
        while !isPaused, let id = queue.first, let request = requests[id], fits(request) {
            if queue.isFollowed(id), surroundings.isFaulty(.reorder), queue.cancel(id) {
                queue.enqueue(id, line: request.line)
                continue
            }
            _ = queue.next()
            leave(request, for: owner)
        }
    }

    /// Lets those have their turn again whose pause is over.
    private func releaseHeldBack() {
        guard !heldBack.isEmpty else { return }
        let now = SystemClock.uptimeMilliseconds()
        let use = policy.nextUse(at: now)
        guard use <= now else { return deliver(inMilliseconds: use - now) }
        for id in heldBack { queue.ready(id) }
        heldBack = []
    }

    /// Tries again after a while.
    func deliver(inMilliseconds milliseconds: UInt64) {
        let instant = ContinuousClock.now + .milliseconds(Int(clamping: milliseconds))
        if let set = timer.deadline, set <= instant { return }
        timer.set(at: instant) { [weak self] in
            self?.isPaused = false
            self?.deliver()
        }
    }

    /// Sends nothing for a while: what cannot be sent now would be tried again at once.
    func pause(milliseconds: UInt64) {
        isPaused = true
        deliver(inMilliseconds: milliseconds)
    }

    private func askForOwner() {
        guard !isAskingForOwner else { return }
        isAskingForOwner = true
        DBusActor.task {
            // Where the bus does not say, it will tell of the next change.
            let owner = try? await self.surroundings.clients.owner(of: self.application)
            self.isAskingForOwner = false
            if owner != nil { self.deliver() }
        }
    }

    /// Whether the handler has left so much unanswered that more would only fill the memory of the bus.
    private func isStuck(_ owner: BusName) -> Bool {
        let load = unanswered.load(of: owner)
        return load.requests >= limits.unansweredMost || load.bytes >= limits.bytesInFlight
    }

    /// Whether a request may be on the bus beside those that are: the bus keeps them for a handler that does not read.
    private func fits(_ request: PendingRequest) -> Bool {
        bytesInFlight == 0 || bytesInFlight + request.size <= limits.bytesInFlight
    }

    // MARK: Actions

    /// What happens to a request, and what follows.
    func handle(_ event: RequestLife.Event, of request: PendingRequest) {
        for action in request.life.handle(event) { perform(action, on: request) }
    }

    private func perform(_ action: RequestLife.Action, on request: PendingRequest) {
        switch action {
        case .makeReady: queue.ready(request.id)
        case .prepare: prepare(request)
        case .send: send(request)
        case .putBack(let isSuspect, let isHeldBack):
            release(request)
            if isHeldBack { heldBack.append(request.id) }
            queue.putBack(request.id, isSuspect: isSuspect, isReady: !isHeldBack)
            surroundings.table.watch(request)
        case .writeDeparture(let isAlone): surroundings.records.noteHandlerLeft(request, isAlone: isAlone)
        case .blame(let blame):
            policy.failed(at: SystemClock.uptimeMilliseconds(), because: "\(application) \(blame.reason)")
        case .askToCancel:
            request.note(.cancelAsked)
            if let owner = request.owner { tellCancelled(request, owner) }
        case .giveUp(let flight, let isCutOff):
            guard let owner = request.owner else { return }
            tellCancelled(request, owner)
            if !isCutOff { unanswered.add(flight, bytes: request.size, owner: owner) }
        case .end(let end):
            takeOut(request)
            surroundings.records.ended(request, end)
            deliver()
        }
    }

    /// Puts what has not left back: none leaves before one of its line that came before it.
    func putBackLeaving(where matches: (PendingRequest) -> Bool) {
        atOnce { for request in leaving.take(where: matches) { handle(.turnedBack, of: request) } }
    }

    private func tellCancelled(_ request: PendingRequest, _ owner: BusName) {
        // A handler that does not hear of it answers into the void, which does no harm.
        let route = surroundings.direct.route(to: owner)
        try? route.connection.notify(URLHandler1.cancelURL, on: route.destination, at: path, request.id.text)
    }

    /// Takes a request out of what the handler has, or is about to get.
    private func release(_ request: PendingRequest) {
        guard inHand[request.id] === request else { return }
        inHand[request.id] = nil
        bytesInFlight -= min(bytesInFlight, request.size)
        leaving.remove(request)
        if request.isQueued { request.content = nil }
    }

    private func takeOut(_ request: PendingRequest) {
        release(request)
        // The same id may have come again.
        guard requests[request.id] === request else { return }
        requests[request.id] = nil
        if !request.isQueued { waitingSenders -= 1 }
        if !queue.finish(request.id) { _ = queue.cancel(request.id) }
    }
}

extension RequestLife.Blame {
    /// What the handler did, after its name.
    fileprivate var reason: String {
        switch self {
        case .gaveBack: "gave a request back unseen"
        case .cutConnection: "cut its direct connection"
        }
    }
}
