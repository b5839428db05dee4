package import IPCDBus

/// `org.freedesktop.Notifications`: the messages that a desktop shows to its user (Desktop Notifications
/// Specification). Desktops implement it, and these programs only call it.
package enum FreedesktopNotifications {
    package static let busName: BusName = "org.freedesktop.Notifications"
    package static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let name: InterfaceName = "org.freedesktop.Notifications"

    package static let getCapabilities = Method(
        name, "GetCapabilities", takes: .none, returns: .of(Argument<[String]>("capabilities")),
        "Lists what the desktop can show.")
    package static let notify = Method(
        name, "Notify",
        takes: .joined(
            .of(
                Argument<String>("app_name"), Argument<UInt32>("replaces_id"), Argument<String>("app_icon"),
                Argument<String>("summary")),
            .of(
                Argument<String>("body"), Argument<[String]>("actions"), Argument<[String: Value]>("hints"),
                Argument<Int32>("expire_timeout"))),
        returns: .of(Argument<UInt32>("id")), "Shows a message.")

    /// The capability of a desktop that reads the body of a message as markup.
    package static let markup = "body-markup"
}
