/// Answers `org.freedesktop.DBus.Properties` for one object.
@DBusActor
struct PropertyAccess {
    let interfaces: [ExportedInterface]
    let server: ObjectServer

    func answer(_ member: String, _ call: IncomingCall) {
        switch member {
        case "Get":
            method(Properties.get, call) { input, call in
                try await property(input.1, of: input.0).get(call)
            }
        case "GetAll":
            method(Properties.getAll, call) { input, call in
                var values: [String: Value] = [:]
                for interface in try matching(input) {
                    for property in interface.properties.values { values[property.name] = try await property.get(call) }
                }
                return values
            }
        case "Set": set(call)
        default: call.fail(ErrorReply(.unknownMethod, "\(Properties.name) has no method \(member)"))
        }
    }

    /// Reads the new value only if it has the property's type.
    private func set(_ call: IncomingCall) {
        guard hasSignature(of: Properties.set, call) else { return }
        do {
            var reader = MessageReader(call.message)
            let (interface, name) = (try String(from: &reader), try String(from: &reader))
            let property = try property(name, of: interface)
            guard let set = property.set else {
                throw ErrorReply(.propertyReadOnly, "the property \(name) cannot be written")
            }
            guard reader.variantHolds(property.signature) else {
                throw ErrorReply(
                    server.invalidArguments,
                    "the property \(name) has the type “\(property.signature)”, not “\(reader.variantSignature)”")
            }
            let value = try Value(from: &reader)
            try reader.finish()
            call.letGoOfArguments()
            CallOrder.begin {
                do {
                    try await set(value, call)
                    call.answer((), as: Properties.set.output)
                } catch { call.fail(server.wire(error, call)) }
            }
        } catch { call.fail(server.wire(error, call)) }
    }

    private func method<Input, Output>(
        _ method: Method<Input, Output>, _ call: IncomingCall,
        _ body: @escaping @DBusActor (Input, IncomingCall) async throws -> Output
    ) {
        guard hasSignature(of: method, call) else { return }
        method.answered(by: body).invoke(call, server)
    }

    /// Whether a call has the arguments of a method; one that has not is answered.
    private func hasSignature<Input, Output>(of method: Method<Input, Output>, _ call: IncomingCall) -> Bool {
        if call.message.signature == method.input.signature { return true }
        call.fail(
            ErrorReply(
                server.invalidArguments, "\(method.name) takes arguments of type “\(method.input.signature)”"))
        return false
    }

    /// An empty name means any interface (D-Bus specification, "org.freedesktop.DBus.Properties").
    private func matching(_ name: String) throws -> [ExportedInterface] {
        if name.isEmpty { return interfaces }
        if StandardInterface(rawValue: name) != nil { return [] }
        guard let interface = interfaces.first(where: { $0.description.name.text == name }) else {
            throw ErrorReply(.unknownInterface, "the object has no interface \(name.quotable)")
        }
        return [interface]
    }

    private func property(_ property: String, of interface: String) throws -> ExportedProperty {
        guard let found = try matching(interface).lazy.compactMap({ $0.properties[property] }).first else {
            throw ErrorReply(.unknownProperty, "there is no property \(property.quotable)")
        }
        return found
    }
}
