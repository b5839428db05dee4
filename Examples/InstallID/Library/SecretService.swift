import IPCDBus

/// The part of the Secret Service API (freedesktop.org, draft 0.2) that is needed to store one small secret. GNOME
/// Keyring, KWallet and KeePassXC implement this API.
enum SecretService {
    static let busName = BusName("org.freedesktop.secrets")
    static let path: ObjectPath = "/org/freedesktop/secrets"
    /// The path that means “no object”: either no prompt is needed, or no collection has the alias.
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

    /// A method of a collection.
    static let createItem = Method(
        "org.freedesktop.Secret.Collection", "CreateItem",
        takes: .of(Argument<[String: Value]>("properties"), Argument<Secret>("secret"), Argument<Bool>("replace")),
        returns: .of(Argument<ObjectPath>("item"), Argument<ObjectPath>("prompt")))
    /// A method of an item.
    static let getSecret = Method(
        "org.freedesktop.Secret.Item", "GetSecret", takes: .of(Argument<ObjectPath>("session")),
        returns: .of(Argument<Secret>("secret")))
    /// A method of an item.
    static let delete = Method(
        "org.freedesktop.Secret.Item", "Delete", takes: .none, returns: .of(Argument<ObjectPath>("prompt")))

    /// The method of a prompt that shows it to the user.
    static let prompt = Method(
        "org.freedesktop.Secret.Prompt", "Prompt", takes: .of(Argument<String>("window_id")), returns: .none)
    /// The signal of a prompt that the user has answered.
    static let completed = Signal(
        "org.freedesktop.Secret.Prompt", "Completed",
        carries: .of(Argument<Bool>("dismissed"), Argument<Value>("result")))
}

/// A secret in the form in which it is sent over the bus.
struct Secret: DBusCodable {
    static let dbusSignature: Signature = "(oayays)"

    let session: ObjectPath
    /// The parameters of the encryption, which are empty if the session's algorithm is `plain`.
    var parameters: [UInt8] = []
    let value: [UInt8]
    var contentType = "text/plain; charset=utf8"

    init(_ text: String, in session: ObjectPath) { (self.session, value) = (session, Array(text.utf8)) }

    init(from reader: inout MessageReader) throws(MessageError) {
        (session, parameters, value, contentType) = try reader.structure { (field) throws(MessageError) in
            try (ObjectPath(from: &field), [UInt8](from: &field), [UInt8](from: &field), String(from: &field))
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
