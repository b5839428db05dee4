@testable import IPCModel

/// A handler queue whose requests and senders are short tags, so that tests are easy to read. The handler is connected,
/// and no request has to be written to disk.
struct TaggedQueue<Tag: LosslessStringConvertible & Sendable> {
    private(set) var queue: HandlerQueue
    private var now: UInt64 = 1_000

    init(window: Int = 1) {
        let application: ApplicationID = "demo.Handler"
        queue = HandlerQueue(of: application, window: window, limits: Limits())
        handle(.handler(.at(":1.9", isSwitching: false)))
        handle(.opened)
    }

    private mutating func handle(_ event: HandlerQueue.Event) { queue.handle(event, at: now) }

    var window: Int {
        get { queue.window }
        set { handle(.registered(window: newValue, isOwner: true)) }
    }

    var isEmpty: Bool { queue.queues.isEmpty }
    var waitingCount: Int { queue.queues.count - queue.usedWindow }
    var inFlightCount: Int { queue.usedWindow }

    func isWaiting(_ tag: Tag) -> Bool { place(tag).map { $0.connection == .none } ?? false }
    func isInFlight(_ tag: Tag) -> Bool { place(tag)?.stage == .inFlight }

    private func place(_ tag: Tag) -> SenderQueues.Place? { queue.queues.slot(of: id(tag)).map { queue.queues[$0] } }

    @discardableResult
    mutating func enqueue(_ tag: Tag, sender: some CustomStringConvertible, isReady: Bool = true) -> Bool {
        let isNew = place(tag) == nil
        handle(.arrived(id(tag), .connection(":1.\(sender)"), isQueued: false, size: 0, isReady: isReady))
        return isNew && place(tag) != nil
    }

    /// Makes a request ready for delivery, after it has arrived or after its pause.
    mutating func ready(_ tag: Tag) {
        now += 100_000
        handle(.ready(id(tag), size: 0))
    }

    mutating func putBack(_ tag: Tag, isSuspect: Bool = false, isReady: Bool = true) {
        if !isReady { handle(.failed(because: "it does this again and again")) }
        handle(.putBack(id(tag), isSuspect: isSuspect, isBackedOff: !isReady))
    }

    var isCautious: Bool { queue.queues.hasSuspects }

    mutating func next() -> Tag? {
        while let action = queue.next(at: now) {
            if case .leave(let id, _) = action { return tag(id) }
        }
        return nil
    }

    @discardableResult
    mutating func finish(_ tag: Tag) -> Bool {
        guard isInFlight(tag) else { return false }
        handle(.ended(id(tag)))
        return true
    }

    mutating func cancel(_ tag: Tag) -> Bool {
        guard isWaiting(tag) else { return false }
        handle(.ended(id(tag)))
        return true
    }

    /// Takes all requests that can be delivered, in order.
    mutating func drain() -> [Tag] {
        window = .max
        var all: [Tag] = []
        while let tag = next() { all.append(tag) }
        return all
    }

    private func id(_ tag: Tag) -> RequestID {
        let text = "\(tag)" + String(repeating: "-", count: 16)
        guard let id = try? RequestID(text) else { fatalError("\(tag) does not fit an id") }
        return id
    }

    private func tag(_ id: RequestID) -> Tag? { Tag(String(id.text.prefix { $0 != "-" })) }
}
