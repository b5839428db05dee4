import IPCModel

/// A delivery queue whose requests and lines are short tags, so that tests are easy to read.
struct TaggedQueue<Tag: LosslessStringConvertible & Sendable> {
    private(set) var queue: DeliveryQueue

    init(window: Int = 1) {
        queue = DeliveryQueue(window: window)
    }

    var window: Int {
        get { queue.window }
        set { queue.window = newValue }
    }

    var isEmpty: Bool { queue.isEmpty }
    var waitingCount: Int { queue.waitingCount }
    var inFlightCount: Int { queue.inFlightCount }

    func isWaiting(_ tag: Tag) -> Bool { queue.isWaiting(id(tag)) }
    func isInFlight(_ tag: Tag) -> Bool { queue.isInFlight(id(tag)) }

    @discardableResult
    mutating func enqueue(_ tag: Tag, line: some CustomStringConvertible, isReady: Bool = true) -> Bool {
        queue.enqueue(id(tag), line: .connection(":1.\(line)"), isReady: isReady)
    }

    mutating func ready(_ tag: Tag) { queue.ready(id(tag)) }

    mutating func putBack(_ tag: Tag, isSuspect: Bool = false, isReady: Bool = true) {
        queue.putBack(id(tag), isSuspect: isSuspect, isReady: isReady)
    }

    var isCautious: Bool { queue.isCautious }

    mutating func next() -> Tag? { queue.next().flatMap(tag) }

    @discardableResult
    mutating func finish(_ tag: Tag) -> Bool { queue.finish(id(tag)) }

    mutating func cancel(_ tag: Tag) -> Bool { queue.cancel(id(tag)) }

    /// Takes everything that can be delivered.
    mutating func drain() -> [Tag] {
        queue.window = .max
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
