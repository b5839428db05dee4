public import Logging

/// Objects by path, each with the standard interfaces. One server can serve several connections to buses and peers.
@DBusActor
public final class ObjectServer {
    private var objects: [ObjectPath: [ExportedInterface]] = [:]
    private var subtrees: [ObjectPath: Subtree] = [:]
    private let logger: Logger
    /// The calls that have arrived before ``serve()``; `nil` if calls are handled at once.
    private var early: [IncomingCall]?
    /// The error name for arguments of the wrong types. A product may set its own.
    public var invalidArguments: ErrorName = .invalidArguments
    /// Converts a refusal into the product's own error. If it returns `nil`, the caller gets this library's error.
    public var refusal: (CallRefusal) -> ErrorReply? = { _ in nil }
    /// The limits of incoming messages, including answers; `nil` if only the limits of D-Bus apply.
    package var bounds: WireBounds?
    /// Converts a handler's error that is not ``ErrorReplyConvertible``. Returns `nil` for a fault of this program.
    public var translate: (any Error) -> ErrorReply? = { _ in nil }

    /// The turns of the callers, for all connections of this server.
    package let turns = CallTurns()

    /// Runs when a call has arrived and when it has been answered.
    package var used: (@DBusActor () -> Void)?

    public init(logger: Logger = Logger(label: "dbus")) { self.logger = logger }

    /// Keeps calls until ``serve()``: a program that takes over a bus name gets calls before it can handle them.
    public func hold() { early = early ?? [] }

    /// Whether a call has arrived since ``hold()``.
    package var hasKeptCalls: Bool { early?.isEmpty == false }

    /// Handles the calls that have been kept, in order, and from now on each call at once.
    public func serve() {
        let calls = early ?? []
        early = nil
        for call in calls { handle(call) }
    }

    /// Adds an object. Call this before requesting a bus name, because calls may arrive once this program owns it.
    public func export(_ interfaces: [ExportedInterface], at path: ObjectPath) { objects[path] = interfaces }

    /// Adds the objects one level below a path.
    public func export(_ subtree: Subtree, below path: ObjectPath) { subtrees[path] = subtree }

    public func remove(_ path: ObjectPath) {
        objects[path] = nil
        subtrees[path] = nil
    }

    /// The interfaces of the object at `path`, without the standard ones; `nil` if there is no such object.
    func interfaces(at path: ObjectPath) -> [ExportedInterface]? {
        if let object = objects[path] { return object }
        if let above = path.parent, let subtree = subtrees[above] { return subtree.interfaces }
        return nil
    }

    func handle(_ call: IncomingCall) {
        if early != nil {
            early?.append(call)
            return
        }
        guard let member = call.message.member else { return }
        let interfaces = interfaces(at: call.path)
        guard let wanted = call.message.interface else {
            guard interfaces != nil || member == Introspectable.introspect.name.text else {
                return call.fail(.noObject(at: call.path))
            }
            // D-Bus specification, "Message Format": without an interface, any method with this name may answer.
            let all = (interfaces ?? []) + ExportedInterface.ofObjects
            return invoke(all.lazy.compactMap { $0.methods[member] }.first, named: member, call)
        }
        let standard = interfaces == nil ? ExportedInterface.ofPaths : ExportedInterface.ofObjects
        if let interface = interfaces?.first(named: wanted) ?? standard.first(named: wanted) {
            return invoke(interface.methods[member], named: member, call)
        }
        guard interfaces != nil else { return call.fail(.noObject(at: call.path)) }
        call.fail(ErrorReply(.unknownInterface, "\(call.path.text.quotable) has no interface \(wanted)"))
    }

    private func invoke(_ method: ExportedMethod?, named member: String, _ call: IncomingCall) {
        guard let method else {
            return call.fail(ErrorReply(.unknownMethod, "\(call.path.text.quotable) has no method \(member)"))
        }
        let signature = call.message.signature
        guard signature == method.inputSignature else {
            return call.fail(
                ErrorReply(
                    invalidArguments,
                    "\(member) takes arguments of type “\(method.inputSignature)”, not “\(signature)”"))
        }
        method.invoke(call, self)
    }

    /// Converts a handler's error for the caller. An error without a D-Bus name is a fault of this program, and logged.
    func wire(_ error: any Error, _ call: IncomingCall) -> ErrorReply {
        if let error = error as? any ErrorReplyConvertible { return error.errorReply }
        if let reply = translate(error) { return reply }
        if let error = error as? MessageError { return refuse(error, of: call.message.member ?? "the call") }
        logger.error("\(call.message.member ?? "") failed: \(error)")
        return ErrorReply(.failed, "the service failed; see its log")
    }

    func unreadable(_ error: MessageError, in member: String) -> ErrorReply {
        if case .beyondLimit = error, let reply = translate(error) { return reply }
        return refuse(error, of: member)
    }

    // MARK: Introspection

    func introspection(for call: IncomingCall) async throws -> String {
        let path = call.path
        var children = Set(
            (Array(objects.keys) + Array(subtrees.keys)).compactMap { other in
                other.remainder(below: path).map { String($0.prefix { $0 != "/" }) }
            })
        if let subtree = subtrees[path] { children.formUnion(try await subtree.children(call)) }
        var interfaces = objects[path]
        if interfaces == nil, let above = path.parent, let subtree = subtrees[above],
            try await subtree.contains(String(path.lastElement), call)
        {
            interfaces = subtree.interfaces
        }
        guard interfaces != nil || !children.isEmpty || subtrees[path] != nil else {
            throw ErrorReply.noObject(at: path)
        }
        // A path that only leads to objects shows no interfaces, because browsers list each path with one as an object.
        let shown = interfaces.map { ExportedInterface.ofObjects + $0 } ?? []
        return IntrospectionDocument(interfaces: shown.map(\.description), children: children.sorted()).text
    }
}

/// Objects one level below a path, all with the same interfaces.
public struct Subtree: Sendable {
    let interfaces: [ExportedInterface]
    let children: @DBusActor (IncomingCall) async throws -> [String]
    let contains: @DBusActor (String, IncomingCall) async throws -> Bool

    /// - Parameters:
    ///   - children: returns the names of the objects that introspection shows to a caller. Limit their number.
    ///   - contains: whether introspection shows the object with this name to a caller. Methods need their own check.
    public init(
        interfaces: [ExportedInterface], children: @escaping @DBusActor (IncomingCall) async throws -> [String],
        contains: @escaping @DBusActor (String, IncomingCall) async throws -> Bool
    ) {
        (self.interfaces, self.children, self.contains) = (interfaces, children, contains)
    }
}
