/// An interface with its handlers.
public struct ExportedInterface: Sendable {
    public let description: InterfaceDescription
    let methods: [String: ExportedMethod]
    let properties: [String: ExportedProperty]
    let together: (@DBusActor (IncomingCall) async throws -> [String: Value])?

    /// - Parameter together: returns the values of all properties, by name, for `GetAll`; `nil` to get one property
    ///   after the other, which takes longer and may mix values of different moments.
    /// - Precondition: `methods` and `properties` match the description.
    public init(
        _ description: InterfaceDescription, methods: [ExportedMethod] = [], properties: [ExportedProperty] = [],
        together: (@DBusActor (IncomingCall) async throws -> [String: Value])? = nil
    ) {
        self.description = description
        self.together = together
        self.methods = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })
        self.properties = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0) })
        let described = description.members.filter { if case .signal = $0 { false } else { true } }.map(\.name)
        precondition(
            described.sorted() == (methods.map(\.name) + properties.map(\.name)).sorted(),
            "the handlers of \(description.name) do not match its description")
    }
}

/// A method with its handler; created by ``Method/answered(by:)-(_)``.
public struct ExportedMethod: Sendable {
    let name: String
    let inputSignature: String
    let invoke: @DBusActor (IncomingCall, ObjectServer) -> Void
}

extension Method {
    /// Attaches a handler that answers without suspending.
    public func answered(by handler: @escaping @DBusActor (Input, IncomingCall) throws -> Output) -> ExportedMethod {
        exported { [output] input, call, server in
            do { call.answer(try handler(input, call), as: output) } catch { call.fail(server.wire(error, call)) }
        }
    }

    /// Attaches a handler that may suspend. Handlers start immediately, in the order of the calls.
    public func answered(
        by handler: @escaping @DBusActor (Input, IncomingCall) async throws -> Output
    ) -> ExportedMethod {
        exported { [output] input, call, server in
            DBusActor.begin {
                do { call.answer(try await handler(input, call), as: output) } catch {
                    call.fail(server.wire(error, call))
                }
            }
        }
    }

    /// Attaches a handler that calls a closure once with the answer. The closure sends the answer before it returns. If
    /// the closure is released without being called, the caller gets an error.
    public func answered(
        later handler: @escaping @DBusActor (Input, IncomingCall, @escaping DelayedAnswer<Output>) -> Void
    ) -> ExportedMethod {
        exported { [output] input, call, server in
            handler(input, call) { result in
                do { call.answer(try result.get(), as: output) } catch { call.fail(server.wire(error, call)) }
            }
        }
    }

    /// Attaches a handler that calls a closure once with the answer, and may suspend. If it throws an error, that error
    /// is the answer. Handlers start immediately, in the order of the calls.
    public func answered(
        later handler: @escaping @DBusActor (Input, IncomingCall, @escaping DelayedAnswer<Output>) async throws -> Void
    ) -> ExportedMethod {
        answered(later: { input, call, answer in
            DBusActor.begin {
                do { try await handler(input, call, answer) } catch { answer(.failure(error)) }
            }
        })
    }

    private func exported(
        _ work: @escaping @DBusActor (Input, IncomingCall, ObjectServer) -> Void
    ) -> ExportedMethod {
        ExportedMethod(name: name.text, inputSignature: input.signature) { [input, name] call, server in
            do throws(MessageError) {
                var reader = MessageReader(call.message)
                let arguments = try input.read(&reader)
                try reader.finish()
                call.message.releaseArguments()
                work(arguments, call, server)
            } catch {
                call.fail(server.unreadable(error, in: name.text))
            }
        }
    }
}

/// The closure that sends an answer; see ``Method/answered(later:)``.
public typealias DelayedAnswer<Output: Sendable> = @DBusActor (Result<Output, any Error>) -> Void

/// A property with its accessors.
public struct ExportedProperty: Sendable {
    let name: String
    let signature: Signature
    let changes: PropertyChangeNotice
    let get: @DBusActor (IncomingCall) async throws -> Value
    let set: (@DBusActor (Value, IncomingCall) async throws -> Void)?
}

extension Property where Content: ValueConvertible {
    /// - Precondition: `set` is `nil` if and only if the property is not writable.
    public func answered(
        get: @escaping @DBusActor (IncomingCall) async throws -> Content,
        set: (@DBusActor (Content, IncomingCall) async throws -> Void)? = nil
    ) -> ExportedProperty {
        precondition((set != nil) == isWritable, "the accessors of the property \(name) do not match its description")
        let setter = set.map { set in
            { @DBusActor @Sendable (value: Value, call: IncomingCall) async throws in
                guard let content = Content(dbusValue: value) else {
                    throw MessageError.unexpectedType(
                        expected: Content.dbusSignature.text, found: value.signature.text)
                }
                try await set(content, call)
            }
        }
        return ExportedProperty(
            name: name.text, signature: Content.dbusSignature, changes: changes,
            get: { call in try await get(call).dbusValue }, set: setter)
    }
}
