package import IPCDBus

/// `org.swiftipc.Simple1`: calls whose arguments are strings. The reference is `dbus/org.swiftipc.Simple1.xml`.
package enum Simple1 {
    package static let name: InterfaceName = "org.swiftipc.Simple1"

    package static let open = Method(
        name, "Open", takes: .of(Argument<String>("url")), returns: .of(Argument<String>("outcome")),
        "Opens a URL in the application that handles its scheme, and returns the outcome.")
    package static let openText = Method(
        name, "OpenText", takes: .of(Argument<String>("url"), Argument<String>("text")),
        returns: .of(Argument<String>("reply")),
        "Opens a URL with a text, and returns the text of the reply.")
    package static let getText = Method(
        name, "GetText", takes: .of(Argument<String>("pasteboard")), returns: .of(Argument<String>("text")),
        "Returns the text on a pasteboard.")
    package static let setText = Method(
        name, "SetText", takes: .of(Argument<String>("pasteboard"), Argument<String>("text")),
        returns: .of(Argument<UInt64>("change_count")), "Replaces the content of a pasteboard with a text.")

    package static let description = InterfaceDescription(name, open, openText, getText, setText)
}
