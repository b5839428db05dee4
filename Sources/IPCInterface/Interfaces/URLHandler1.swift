package import IPCDBus
package import IPCModel

/// `org.swiftipc.URLHandler1`: the interface of a handler. The reference is `dbus/org.swiftipc.URLHandler1.xml`.
package enum URLHandler1 {
    package static let name: InterfaceName = "org.swiftipc.URLHandler1"

    package static let openURL = Method(
        name, "OpenURL",
        takes: .of(Argument<String>("id"), Argument<String>("url"), Argument<OpenURLContext>("context")),
        returns: .of(Argument<String>("outcome"), Argument<HandlerReply>("answer")),
        "Receives a URL with its payload, and answers when the work is done.")
    package static let cancelURL = Method(
        name, "CancelURL", takes: .of(Argument<String>("id")), returns: .none, isOneWay: true,
        "Asks the handler to stop working on a request.")

    package static let description = InterfaceDescription(name, openURL, cancelURL)
}

package struct OpenURLContext: Facts {
    package var sourceApplication: String?
    package var sourceStrength: String?
    package var pasteboard: String?
    package var changeCount: UInt64?
    package var items: [PasteboardItem]?
    package var annotation: Value?
    package var attempt: UInt32?
    /// The time left for the answer, in milliseconds.
    package var timeout: UInt32?
    package var activationToken: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("source-application", \.sourceApplication), Key("source-strength", \.sourceStrength),
        Key("pasteboard", \.pasteboard), Key("change-count", \.changeCount), Key("items", \.items),
        Key("annotation", \.annotation, limit: "annotation-bytes"), Key("attempt", \.attempt),
        Key("timeout", \.timeout), Key("activation-token", \.activationToken),
    ]
}

package struct HandlerReply: Facts {
    package var items: [PasteboardItem]?
    package var errorCode: String?
    package var errorMessage: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("items", \.items), Key("error-code", \.errorCode), Key("error-message", \.errorMessage),
    ]
}
