internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// An accepted open request on its way to its handler.
@DBusActor
final class PendingRequest {
    enum State {
        /// Not delivered: it waits in its line, or for the handler to start.
        case waiting
        case delivered
        case ended
    }

    let id: RequestID
    let url: URLText
    let source: Source
    let caller: BusName?
    let payload: BoundPayload
    let annotation: Value?
    let deadline: ContinuousClock.Instant
    var state = State.waiting
    var attempts: UInt32 = 0
    var ended: CheckedContinuation<RequestEnd?, Never>?

    init(
        id: RequestID, url: URLText, source: Source, caller: BusName?, payload: BoundPayload,
        annotation: Value?, deadline: ContinuousClock.Instant
    ) {
        self.id = id
        self.url = url
        self.source = source
        self.caller = caller
        self.payload = payload
        self.annotation = annotation
        self.deadline = deadline
    }

    /// The source as it was stated, else the connection: order holds within it.
    var line: DeliveryLine {
        if let application = try? ApplicationID(source.application) { return .application(application) }
        return .connection(caller?.text ?? "")
    }

    var millisecondsLeft: UInt32 {
        let left = ContinuousClock.now.duration(to: deadline).components
        return UInt32(clamping: max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000))
    }

    /// What the handler is told beside the URL.
    var context: OpenURLContext {
        var context = OpenURLContext()
        context.sourceApplication = source.application
        context.sourceStrength = source.strength.rawValue
        context.pasteboard = payload.pasteboard?.text
        context.changeCount = payload.changeCount
        context.items = payload.items
        context.annotation = annotation
        context.attempt = attempts
        context.timeout = millisecondsLeft
        return context
    }
}

/// The payload of a request: its own snapshot, whatever becomes of the pasteboard.
struct BoundPayload: Sendable {
    var items: [PasteboardItem]?
    var pasteboard: PasteboardName?
    var changeCount: UInt64?
    /// Whether the request made the pasteboard.
    var isNewPasteboard = false
}

extension RequestEnd {
    /// An end that the broker or the bus gave, with its reason.
    init(_ outcome: Outcome, name: String = "", code: String = "", because reason: String) {
        self.init(outcome, attempts: 0, failure: .init(name: name, code: code, message: reason))
    }
}
