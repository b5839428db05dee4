/// The environment that dbus-broker's launcher needs where systemd is not running: a user manager of its own, the
/// journal's socket, and a `/run/systemd` that pretends that systemd is running. All of it is in a mount namespace.
enum BrokerLauncher {
    /// The launcher, which the campaign uses too. It prints `ready` when the bus is running; messages for the journal go to
    /// standard error.
    static let script =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/Campaign/campaign/launcher.py"

    /// Writes the systemd units with which the user manager starts the bus. The socket is a unit of its own and starts
    /// first, so that the bus's address never changes.
    static func writeUnits(_ files: BusDirectory) throws {
        let units = try files.directory.makeDirectory("config/systemd/user")
        for (name, text) in [
            // Every program that the bus starts requires `basic.target`. This empty one replaces Debian's, which would
            // also start sockets of GnuPG and others.
            ("basic.target", "[Unit]\nDefaultDependencies=no\n"),
            (
                "private-bus.target",
                "[Unit]\nDefaultDependencies=no\nRequires=dbus.socket dbus.service\nAfter=dbus.service\n"
            ),
            ("dbus.socket", "[Unit]\nDefaultDependencies=no\n[Socket]\nListenStream=\(files.socket)\n"),
            (
                "dbus.service",
                """
                [Unit]
                DefaultDependencies=no
                Requires=dbus.socket
                After=dbus.socket
                [Service]
                Type=notify
                Sockets=dbus.socket
                ExecStart=dbus-broker-launch --scope user --config-file \(files.configuration)

                """
            ),
        ] {
            try FileContents.write(text, to: "\(units)/\(name)")
        }
    }
}
