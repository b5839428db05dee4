package import IPCDBus
package import IPCModel

/// `org.swiftipc.URLs1`: opening URLs. The reference is `dbus/org.swiftipc.URLs1.xml`.
package enum URLs1 {
    package static let name: InterfaceName = "org.swiftipc.URLs1"

    package static let openURL = Method(
        name, "OpenURL", takes: .of(Argument<String>("url"), Argument<OpenURLOptions>("options")),
        returns: .of(Argument<OpenURLResult>("result")),
        "Opens a URL in the application that handles its scheme and waits for the outcome.")

    package static let description = InterfaceDescription(name, "", [openURL.description])
}

package struct OpenURLOptions: Options {
    package var id: String?
    package var application: String?
    package var items: [PasteboardItem]?
    package var pasteboard: String?
    package var changeCount: UInt64?
    package var set: PayloadSetOptions?
    package var annotation: Value?
    /// Milliseconds from acceptance.
    package var timeout: UInt32?
    package var sourceApplication: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("id", \.id), Key("application", \.application), Key("items", \.items), Key("pasteboard", \.pasteboard),
        Key("change-count", \.changeCount), Key("set", \.set), Key(any: "annotation", \.annotation),
        Key("timeout", \.timeout), Key("source-application", \.sourceApplication),
    ]
}

/// How a payload is put on its pasteboard.
package struct PayloadSetOptions: Options {
    package var ifChangeCount: UInt64?
    package var create: Bool?
    package var persistent: Bool?
    /// Milliseconds.
    package var timeToLive: UInt64?
    package var sensitive: Bool?
    package var once: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("if-change-count", \.ifChangeCount), Key("create", \.create), Key("persistent", \.persistent),
        Key("time-to-live", \.timeToLive), Key("sensitive", \.sensitive), Key("once", \.once),
    ]
}

package struct OpenURLResult: Facts {
    package var id: String?
    package var outcome: String?
    package var application: String?
    package var changeCount: UInt64?
    package var items: [PasteboardItem]?
    package var attempts: UInt32?
    package var errorName: String?
    package var errorCode: String?
    package var errorMessage: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("id", \.id), Key("outcome", \.outcome), Key("application", \.application),
        Key("change-count", \.changeCount), Key("items", \.items), Key("attempts", \.attempts),
        Key("error-name", \.errorName), Key("error-code", \.errorCode), Key("error-message", \.errorMessage),
    ]
}
