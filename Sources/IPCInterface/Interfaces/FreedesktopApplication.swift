package import IPCDBus

/// `org.freedesktop.Application`: how a desktop starts an application and passes URLs to it (Desktop Entry
/// Specification, “D-Bus Activation”). The reference is `dbus/org.freedesktop.Application.xml`.
package enum FreedesktopApplication {
    package static let name: InterfaceName = "org.freedesktop.Application"

    package static let activate = Method(
        name, "Activate", takes: .of(Argument<PlatformData>("platform_data")), returns: .none,
        "Starts the application without a URL, or brings it to the front.")
    package static let open = Method(
        name, "Open", takes: .of(Argument<[String]>("uris"), Argument<PlatformData>("platform_data")), returns: .none,
        "Opens URLs in the application, and answers when that is done.")
    package static let activateAction = Method(
        name, "ActivateAction",
        takes: .of(
            Argument<String>("action_name"), Argument<[Value]>("parameter"), Argument<PlatformData>("platform_data")),
        returns: .none, "Runs an action that the application's desktop entry lists.")

    package static let description = InterfaceDescription(name, activate, open, activateAction)
}

/// The information that the desktop adds to a call.
package struct PlatformData: Facts {
    package var activationToken: String?
    package var desktopStartupID: String?

    package init() {}

    /// Passes a window's activation token under both of its keys. `desktop-startup-id` is the older one, from X11.
    package init(activationToken: String?) {
        (self.activationToken, desktopStartupID) = (activationToken, activationToken)
    }

    /// The activation token under either key; `nil` if there is none.
    package var token: String? { [activationToken, desktopStartupID].compactMap(\.self).first { !$0.isEmpty } }

    package static let keys: [Key<Self>] = [
        Key("activation-token", \.activationToken), Key("desktop-startup-id", \.desktopStartupID),
    ]
}
