internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// An `OpenURL` whose arguments are known to be right, before anything is written or anybody asked.
final class ValidatedRequest: Sendable {
    let url: URLText
    let id: RequestID?
    /// The receiver that the sender pins.
    let application: ApplicationID?
    let items: [PasteboardItem]?
    let pasteboard: PasteboardName?
    let changeCount: UInt64?
    /// How the items are put on the pasteboard.
    let set: IPCStore.WriteOptions
    let create: Bool
    let persistent: Bool?
    let annotation: Value?
    /// Until its end or, of a queued request, from its delivery to the answer.
    let timeout: Duration
    let isQueued: Bool
    /// How long a queued request waits for its delivery, in milliseconds.
    let timeToLive: UInt64
    let parent: RequestID?
    let source: ApplicationID?
    let activationToken: String?
    /// Whether the reply may have descriptors.
    let takesDescriptors: Bool
    /// Whether the sender has made this call before.
    let isRepeated: Bool
    /// Whether a program of the desktop may get it where nobody claims the scheme: nothing can be pinned or queued there.
    let mayGoToDesktop: Bool
    private let options: OpenURLOptions

    init(url: String, options: OpenURLOptions, limits: Limits) throws {
        self.options = options
        self.url = try URLText(url)
        id = try options.id.map { try RequestID($0) }
        application = try options.application.map { try ApplicationID($0) }
        pasteboard = try options.pasteboard.map { try PasteboardName($0) }
        source = try options.sourceApplication.map { try ApplicationID($0) }
        parent = try options.parent.map { try RequestID($0) }
        items = options.items
        changeCount = options.changeCount
        set = try IPCStore.WriteOptions(options.set ?? PayloadSetOptions(), items: options.items ?? [])
        (create, persistent) = (options.set?.create ?? true, options.set?.persistent)
        (annotation, activationToken) = (options.annotation, options.activationToken)
        (takesDescriptors, isRepeated) = (options.fd ?? false, options.repeated ?? false)
        isQueued = options.queue ?? false
        mayGoToDesktop = options.desktop ?? true && options.application == nil && !isQueued
        timeout = .milliseconds(
            Int(
                try RequestTimeout.milliseconds(
                    stated: options.timeout, left: options.timeLeft, isQueued: isQueued, limits)))
        timeToLive = try RequestTimeout.timeToLive(stated: options.timeToLive, isQueued: isQueued, limits)
        try Self.checkCombination(options)
        guard !isQueued || !set.isSensitive else { throw Self.sensitiveQueued }
        try items.map { try limits.checkPayload($0) }
        if let annotation { try Self.check(annotation, limits: limits) }
        try limits.check(\.annotationBytes, request: UInt64(activationToken?.utf8.count ?? 0))
    }

    /// What is sensitive never reaches the disk, and a queued request lives there.
    static let sensitiveQueued = IPCError(
        .invalidArguments,
        "a sensitive payload cannot be queued, because it would be kept on the disk; wait for the "
            + "outcome instead")

    /// What cannot mean anything together is an error rather than ignored.
    private static func checkCombination(_ options: OpenURLOptions) throws(IPCError) {
        if options.set != nil, options.items == nil || options.pasteboard == nil {
            throw IPCError(
                .invalidArguments, "“set” says how to put “items” on a “pasteboard”; give both, or leave it out")
        }
        if options.timeLeft != nil, options.repeated != true || options.queue ?? false {
            throw IPCError(.invalidArguments, "“time-left” is for a call that is “repeated”, and whose sender waits")
        }
        if options.changeCount != nil, options.pasteboard == nil || options.items != nil {
            throw IPCError(
                .invalidArguments, "“change-count” binds a version of a “pasteboard”; it goes without “items”")
        }
    }

    private static func check(_ annotation: Value, limits: Limits) throws {
        guard !annotation.containsReference else {
            throw IPCError(.invalidArguments, "an “annotation” has no value of the types h, o, g and v in it")
        }
        try limits.check(\.annotationBytes, request: UInt64(annotation.marshalledEnd(from: 0)))
    }

    /// Whether anything is sent beside the URL.
    var hasPayload: Bool { items != nil || pasteboard != nil || annotation != nil }

    /// What else goes with the request, as it is kept and as the handler gets it.
    var kept: KeptContext {
        var kept = KeptContext()
        (kept.annotation, kept.activationToken) = (annotation, activationToken)
        return kept
    }

    /// Of all arguments with their names and lengths, so that no two calls have the same, to tell a repetition from
    /// another call with the same id; not of the items where they are sensitive, since the digest is kept on the disk and
    /// would let a secret be guessed. What says how the answer is given is no part of it.
    /// - Parameter items: the payload as it was taken in.
    func digest(_ items: [PasteboardItem]?) throws -> ContentDigest {
        var arguments = CallArguments()
        arguments.add("url", url.text)
        arguments.add("application", options.application)
        arguments.add("pasteboard", options.pasteboard)
        arguments.add("change-count", options.changeCount.map(String.init))
        arguments.add("if-change-count", options.set?.ifChangeCount.map(String.init))
        arguments.add("create", options.set?.create.map(String.init))
        arguments.add("persistent", options.set?.persistent.map(String.init))
        arguments.add("set-time-to-live", options.set?.timeToLive.map(String.init))
        arguments.add("sensitive", set.isSensitive ? "true" : nil)
        arguments.add("once", options.set?.once.map(String.init))
        arguments.add("annotation", options.annotation.map { "\($0)" })
        arguments.add("timeout", options.timeout.map(String.init))
        arguments.add("queue", isQueued ? "true" : nil)
        arguments.add("time-to-live", options.timeToLive.map(String.init))
        arguments.add("parent", options.parent)
        arguments.add("source-application", options.sourceApplication)
        arguments.add("desktop", options.desktop.map(String.init))
        if !set.isSensitive { try arguments.add(items) }
        return arguments.digest
    }
}

extension Value {
    /// Whether something of the types h, o, g or v is in it.
    var containsReference: Bool { signature.text.contains { "hogv".contains($0) } }

    /// Where the value ends in a message if it begins at `start`, padding included (D-Bus specification,
    /// "Summary of types").
    func marshalledEnd(from start: Int) -> Int {
        let (alignment, size) = Self.alignmentAndSize(signature)
        let place = (start + alignment - 1) & ~(alignment - 1)
        switch self {
        case .string(let text): return place + 4 + text.utf8.count + 1
        case .bytes(let bytes): return place + 4 + bytes.count
        case .structure(let fields): return fields.reduce(place) { $1.marshalledEnd(from: $0) }
        case .array(let element, let values):
            return values.reduce(Self.firstElement(after: place, of: element)) { $1.marshalledEnd(from: $0) }
        case .dictionary(_, _, let entries):
            return entries.reduce((place + 4 + 7) & ~7) { end, entry in
                entry.value.marshalledEnd(from: entry.key.marshalledEnd(from: (end + 7) & ~7))
            }
        default: return place + size
        }
    }

    /// The padding to the first element of an array counts even if there is none.
    private static func firstElement(after place: Int, of element: Signature) -> Int {
        let alignment = alignmentAndSize(element).alignment
        return (place + 4 + alignment - 1) & ~(alignment - 1)
    }

    /// Of a value of this type; the size of those that do not have the same always is 0.
    private static func alignmentAndSize(_ type: Signature) -> (alignment: Int, size: Int) {
        switch type.text.utf8.first.map({ Character(Unicode.Scalar($0)) }) {
        case "y": (1, 1)
        case "n", "q": (2, 2)
        case "b", "i", "u", "h": (4, 4)
        case "x", "t", "d": (8, 8)
        case "(", "{": (8, 0)
        case "g", "v": (1, 0)
        default: (4, 0)
        }
    }
}

extension Limits {
    /// What a version of a pasteboard, or a payload, may hold, so that it fits one message; what came as a descriptor is
    /// looked at when it is taken in.
    func checkPayload(_ items: [PasteboardItem]) throws(LimitExceeded) {
        try check(\.itemsPerVersion, request: UInt64(items.count))
        try check(\.representationsPerVersion, request: UInt64(items.reduce(0) { $0 + $1.representations.count }))
        try check(\.inlineMessageBytes, request: items.reduce(0) { $0 + $1.inlineByteCount })
    }
}
