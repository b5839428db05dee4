import IPCDBus

/// What one small secret needs of the Secret Service API (freedesktop.org, draft 0.2), as GNOME Keyring, KWallet and
/// KeePassXC have it.
enum SecretService {
    static let busName = BusName("org.freedesktop.secrets")
    static let path: ObjectPath = "/org/freedesktop/secrets"
    /// What stands where there is no object: no prompt is needed, no collection has the alias.
    static let nothing: ObjectPath = "/"
    private static let interface: InterfaceName = "org.freedesktop.Secret.Service"

    static let openSession = Method(
        interface, "OpenSession", takes: .of(Argument<String>("algorithm"), Argument<Value>("input")),
        returns: .of(Argument<Value>("output"), Argument<ObjectPath>("result")))
    static let readAlias = Method(
        interface, "ReadAlias", takes: .of(Argument<String>("name")), returns: .of(Argument<ObjectPath>("collection")))
    static let searchItems = Method(
        interface, "SearchItems", takes: .of(Argument<[String: String]>("attributes")),
        returns: .of(Argument<[ObjectPath]>("unlocked"), Argument<[ObjectPath]>("locked")))
    static let unlock = Method(
        interface, "Unlock", takes: .of(Argument<[ObjectPath]>("objects")),
        returns: .of(Argument<[ObjectPath]>("unlocked"), Argument<ObjectPath>("prompt")))

    /// Of a collection.
    static let createItem = Method(
        "org.freedesktop.Secret.Collection", "CreateItem",
        takes: .of(Argument<[String: Value]>("properties"), Argument<Secret>("secret"), Argument<Bool>("replace")),
        returns: .of(Argument<ObjectPath>("item"), Argument<ObjectPath>("prompt")))
    /// Of an item.
    static let getSecret = Method(
        "org.freedesktop.Secret.Item", "GetSecret", takes: .of(Argument<ObjectPath>("session")),
        returns: .of(Argument<Secret>("secret")))
    /// Of an item.
    static let delete = Method(
        "org.freedesktop.Secret.Item", "Delete", takes: .none, returns: .of(Argument<ObjectPath>("prompt")))

    /// Of a prompt: shows it.
    static let prompt = Method(
        "org.freedesktop.Secret.Prompt", "Prompt", takes: .of(Argument<String>("window_id")), returns: .none)
    /// Of a prompt.
    static let completed = Signal(
        "org.freedesktop.Secret.Prompt", "Completed",
        carries: .of(Argument<Bool>("dismissed"), Argument<Value>("result")))
}

/// A secret on its way.
struct Secret: DBusCodable {
    static let dbusSignature: Signature = "(oayays)"

    let session: ObjectPath
    /// Empty in a session of the algorithm `plain`.
    var parameters: [UInt8] = []
    let value: [UInt8]
    var contentType = "text/plain; charset=utf8"

    init(_ text: String, in session: ObjectPath) { (self.session, value) = (session, Array(text.utf8)) }

    init(from reader: inout MessageReader) throws(MessageError) {
        (session, parameters, value, contentType) = try reader.structure { (field) throws(MessageError) in
            (
                try ObjectPath(from: &field), try [UInt8](from: &field), try [UInt8](from: &field),
                try String(from: &field)
            )
        }
    }

    func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.structure { (field) throws(MessageError) in
            try session.write(to: &field)
            try parameters.write(to: &field)
            try value.write(to: &field)
            try contentType.write(to: &field)
        }
    }
}
