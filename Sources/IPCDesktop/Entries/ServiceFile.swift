internal import IPCModel

/// The file by which a bus starts a program; D-Bus specification, "Message Bus Starting Services".
package struct ServiceFile: Sendable, Hashable {
    /// The bus name that the program takes.
    package let name: String
    package let command: CommandWords
    /// The systemd unit that is started in the program's place where the bus knows systemd.
    package let unit: String?

    package init(name: String, command: CommandWords, unit: String? = nil) {
        self.name = name
        self.command = command
        self.unit = unit
    }

    /// The folder of service files below one of data, and below the runtime directory.
    package static let folder = "dbus-1/services"

    /// The name of the file. On a runtime directory it must be this one.
    package var fileName: String { name + ".service" }

    package var text: String {
        "[D-BUS Service]\nName=\(name)\nExec=\(KeyFileText.escaped(command.text))\n"
            + (unit.map { "SystemdService=\($0)\n" } ?? "")
    }
}
