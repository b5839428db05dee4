public import IPCDBus
public import IPCModel

/// An item is `a(sv)`: its representations as (content type, value), in the writer's order of preference.
extension PasteboardItem: DBusCodable {
    public static var dbusSignature: Signature { "a(sv)" }

    public init(from reader: inout MessageReader) throws(MessageError) {
        let representations = try reader.array { (element) throws(MessageError) in
            try element.structure { (fields) throws(MessageError) in
                let type = try ContentType(wire: try String(from: &fields))
                return Representation(type: type, value: try Representation.Value(from: &fields))
            }
        }
        do throws(PasteboardItem.Invalid) { try self.init(representations) } catch {
            throw .refused(error.ipcError.message)
        }
    }

    public func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.array(of: "(sv)") { (inside) throws(MessageError) in
            for representation in representations {
                try inside.structure { (fields) throws(MessageError) in
                    try representation.type.text.write(to: &fields)
                    try representation.value.write(to: &fields)
                }
            }
        }
    }
}

/// A value is a variant of `s` or `ay`.
extension Representation.Value: DBusCodable {
    public static var dbusSignature: Signature { "v" }

    public init(from reader: inout MessageReader) throws(MessageError) {
        switch reader.variantSignature {
        case "s": self = .text(try reader.variant { (inside) throws(MessageError) in try String(from: &inside) })
        case "ay": self = .bytes(try reader.variant { (inside) throws(MessageError) in try [UInt8](from: &inside) })
        case let other: throw .refused("a value has the type “s” or “ay”, not “\(other)”")
        }
    }

    public func write(to writer: inout MessageWriter) throws(MessageError) {
        switch self {
        case .text(let text): try writer.variant("s") { (inside) throws(MessageError) in try text.write(to: &inside) }
        case .bytes(let bytes):
            try writer.variant("ay") { (inside) throws(MessageError) in try bytes.write(to: &inside) }
        }
    }
}

extension ContentType {
    package init(wire text: String) throws(MessageError) {
        do throws(ContentType.Invalid) { try self.init(text) } catch { throw .refused(error.ipcError.message) }
    }
}
