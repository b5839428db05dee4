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
        case "Set":
            method(Properties.set, call) { input, call in
                let property = try property(input.1, of: input.0)
                guard let set = property.set else {
                    throw ErrorReply(.propertyReadOnly, "the property \(input.1) cannot be written")
                }
                guard input.2.signature == property.signature else {
                    throw ErrorReply(
                        server.invalidArguments,
                        "the property \(input.1) has the type “\(property.signature)”, not “\(input.2.signature)”")
                }
                try await set(input.2, call)
            }
        default: call.fail(ErrorReply(.unknownMethod, "\(Properties.name) has no method \(member)"))
        }
    }

    private func method<Input, Output>(
        _ method: Method<Input, Output>, _ call: IncomingCall,
        _ body: @escaping @DBusActor (Input, IncomingCall) async throws -> Output
    ) {
        guard call.message.signature == method.input.signature else {
            return call.fail(
                ErrorReply(
                    server.invalidArguments, "\(method.name) takes arguments of type “\(method.input.signature)”"))
        }
        method.answered(by: body).invoke(call, server)
    }

    /// An empty name means any interface (D-Bus specification, "org.freedesktop.DBus.Properties").
    private func matching(_ name: String) throws -> [ExportedInterface] {
        if name.isEmpty { return interfaces }
        if StandardInterface(rawValue: name) != nil { return [] }
        guard let interface = interfaces.first(where: { $0.description.name.text == name }) else {
            throw ErrorReply(.unknownInterface, "the object has no interface \(name)")
        }
        return [interface]
    }

    private func property(_ property: String, of interface: String) throws -> ExportedProperty {
        guard let found = try matching(interface).lazy.compactMap({ $0.properties[property] }).first else {
            throw ErrorReply(.unknownProperty, "there is no property \(property)")
        }
        return found
    }
}
