public import IPCDBus
public import IPCModel

/// On D-Bus, an item is `a(sv)`: (content type, value) pairs, one per representation, in the order of preference.
extension PasteboardItem: DBusCodable {
    public static let dbusSignature: Signature = "a(sv)"
    private static let representation: Signature = "(sv)"

    public init(from reader: inout MessageReader) throws(MessageError) {
        let representations = try Self.representations(from: &reader)
        do throws(PasteboardItem.Invalid) { try self.init(representations) } catch {
            throw .refused(error.ipcError.message)
        }
    }

    public static func readArray(from reader: inout MessageReader) throws(MessageError) -> [PasteboardItem] {
        if let allowed = reader.bounds?[Self.limit] {
            try reader.checkNextElements(Self.limit, 4 * allowed, levels: 2)
        }
        return try reader.array { (element) throws(MessageError) in try PasteboardItem(from: &element) }
    }

    /// The name of the limit that is checked before reading. This check is loose, because it counts items and
    /// representations together; the exact limits are checked after reading.
    private static let limit = "representations-per-version"

    fileprivate static func representations(
        from reader: inout MessageReader
    ) throws(MessageError) -> [Representation] {
        try reader.array { (element) throws(MessageError) in
            try element.structure { (fields) throws(MessageError) in
                let type = try ContentType(wire: try String(from: &fields))
                return Representation(type: type, value: try Representation.Value(from: &fields))
            }
        }
    }

    public func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.array(of: Self.representation) { (inside) throws(MessageError) in
            for representation in representations {
                try inside.structure { (fields) throws(MessageError) in
                    try representation.type.text.write(to: &fields)
                    try representation.value.write(to: &fields)
                }
            }
        }
    }
}

/// An item as a reader gets it: it is empty if it has none of the requested types. A ``PasteboardItem`` from a writer
/// has at least one representation.
package struct ReadItem: DBusCodable {
    package let item: PasteboardItem
    package static var dbusSignature: Signature { PasteboardItem.dbusSignature }

    package init(_ item: PasteboardItem) { self.item = item }

    package init(from reader: inout MessageReader) throws(MessageError) {
        let representations = try PasteboardItem.representations(from: &reader)
        do throws(PasteboardItem.Invalid) { item = try PasteboardItem(read: representations) } catch {
            throw .refused(error.ipcError.message)
        }
    }

    package func write(to writer: inout MessageWriter) throws(MessageError) { try item.write(to: &writer) }
}

/// On D-Bus, a value is a variant that contains `s`, `ay` or `h`. The file behind an `h` is not checked here.
extension Representation.Value: DBusCodable {
    public static let dbusSignature: Signature = "v"

    private static let (text, bytes, file): (Signature, Signature, Signature) = ("s", "ay", "h")

    public init(from reader: inout MessageReader) throws(MessageError) {
        if reader.variantHolds(Self.bytes) {
            self = .bytes(try reader.variant { (inside) throws(MessageError) in try [UInt8](from: &inside) })
        } else if reader.variantHolds(Self.text) {
            self = .text(try reader.variant { (inside) throws(MessageError) in try String(from: &inside) })
        } else if reader.variantHolds(Self.file) {
            let descriptor = try reader.variant { (inside) throws(MessageError) in try inside.descriptor() }
            self = .file(ContentFile(descriptor.rawValue, ownedBy: descriptor))
        } else {
            throw .refused("a value must have the type “s”, “ay” or “h”, not “\(reader.variantSignature)”")
        }
    }

    public func write(to writer: inout MessageWriter) throws(MessageError) {
        switch self {
        case .text(let text):
            try writer.variant(Self.text) { (inside) throws(MessageError) in try text.write(to: &inside) }
        case .bytes(let bytes):
            try writer.variant(Self.bytes) { (inside) throws(MessageError) in try bytes.write(to: &inside) }
        case .file(let file):
            try writer.variant(Self.file) { (inside) throws(MessageError) in
                try inside.descriptor(file.descriptor)
            }
        }
    }
}

extension ContentType {
    package init(wire text: String) throws(MessageError) {
        do throws(ContentType.Invalid) { try self.init(text) } catch { throw .refused(error.ipcError.message) }
    }
}
