internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// The arguments of an `OpenURL` call, validated before anything is written and before any other program is queried.
final class ValidatedRequest: Sendable {
    let url: URLText
    let id: RequestID?
    /// The handler that the sender pins; `nil` if the claims on the scheme decide.
    let application: ApplicationID?
    var items: [PasteboardItem]? { options.items }
    let pasteboard: PasteboardName?
    var changeCount: UInt64? { options.changeCount }
    let set: IPCStore.WriteOptions
    var create: Bool { options.set?.create ?? true }
    var persistent: Bool? { options.set?.persistent }
    var annotation: Value? { options.annotation }
    /// How long the request may take or, if it is queued, how long its handler may take to answer after the delivery.
    let timeout: Duration
    var isQueued: Bool { options.queue ?? false }
    /// How long a queued request may wait for its delivery, in milliseconds.
    let timeToLive: UInt64
    let parent: RequestID?
    let source: ApplicationID?
    var activationToken: String? { options.activationToken }
    /// Whether the reply may contain descriptors.
    var takesDescriptors: Bool { options.fd ?? false }
    /// Whether the sender has made this call before.
    var isRepeated: Bool { options.repeated ?? false }
    /// Whether an unclaimed URL may go to a desktop application; never for a pinned handler or a queued request.
    var mayGoToDesktop: Bool { options.desktop ?? true && options.application == nil && !isQueued }
    /// Whether the store writes a large payload when it accepts the request.
    var isLargeWrite: Bool { (isQueued || pasteboard != nil) && items?.areSmall == false }
    /// Whether the store may have to copy a version from memory to disk when it accepts the request.
    var mayCopyVersion: Bool { isQueued && pasteboard != nil && items == nil }
    private let options: OpenURLOptions

    init(url: String, options: OpenURLOptions, limits: Limits) throws {
        self.options = options
        self.url = try URLText(url)
        id = try options.id.map { try RequestID($0) }
        application = try options.application.map { try ApplicationID($0) }
        pasteboard = try options.pasteboard.map { try PasteboardName($0) }
        source = try options.sourceApplication.map { try ApplicationID($0) }
        parent = try options.parent.map { try RequestID($0) }
        set = try IPCStore.WriteOptions(options.set ?? PayloadSetOptions(), items: options.items ?? [])
        let isQueued = options.queue ?? false
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

    /// The error for a queued request with a sensitive payload, because queued payloads are kept on disk.
    static let sensitiveQueued = IPCError(
        .invalidArguments,
        "a sensitive payload cannot be queued, because it would be stored on disk; wait for the "
            + "outcome instead")

    /// Rejects options that exclude each other, instead of ignoring one of them.
    private static func checkCombination(_ options: OpenURLOptions) throws(IPCError) {
        if options.set != nil, options.items == nil || options.pasteboard == nil {
            throw IPCError(
                .invalidArguments, "“set” requires “items” and “pasteboard”; give both, or leave out “set”")
        }
        if options.timeLeft != nil, options.repeated != true || options.queue ?? false {
            throw IPCError(.invalidArguments, "“time-left” requires “repeated”, and cannot be combined with “queue”")
        }
        if options.changeCount != nil, options.pasteboard == nil || options.items != nil {
            throw IPCError(
                .invalidArguments, "“change-count” requires “pasteboard”, and cannot be combined with “items”")
        }
    }

    private static func check(_ annotation: Value, limits: Limits) throws {
        guard !annotation.containsReference else {
            throw IPCError(.invalidArguments, "an “annotation” must not contain values of the types h, o, g and v")
        }
        try limits.check(\.annotationBytes, request: UInt64(annotation.marshalledEnd(from: 0)))
    }

    /// Whether the request carries more than the URL.
    var hasPayload: Bool { items != nil || pasteboard != nil || annotation != nil }

    /// The context that is stored with the record and sent to the handler.
    var kept: KeptContext { KeptContext(annotation: annotation, activationToken: activationToken) }

    /// The digest of all arguments, which distinguishes a repeated call from a different call with the same id.
    /// Sensitive items are left out: the digest is stored on disk, and could be used to guess a secret. Options that
    /// only affect the answer are left out too.
    /// - Parameter items: the payload, whose files the store has already taken in.
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
    /// Whether the value is or contains one of the D-Bus types h, o, g or v.
    var containsReference: Bool { signature.text.contains { "hogv".contains($0) } }

    /// The offset at which the value ends in a message if it starts at `start`, including padding (D-Bus specification,
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

    /// The offset of an array's first element. The padding before it is present even in an empty array.
    private static func firstElement(after place: Int, of element: Signature) -> Int {
        let alignment = alignmentAndSize(element).alignment
        return (place + 4 + alignment - 1) & ~(alignment - 1)
    }

    /// The alignment and the size of a type; the size is 0 if it varies.
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
    /// Checks that items fit into one message. Values in descriptors are checked when the store takes them in.
    func checkPayload(_ items: [PasteboardItem]) throws(LimitExceeded) {
        try check(\.itemsPerVersion, request: UInt64(items.count))
        try check(\.representationsPerVersion, request: UInt64(items.reduce(0) { $0 + $1.representations.count }))
        try check(\.inlineMessageBytes, request: items.reduce(0) { $0 + $1.inlineByteCount })
    }
}
