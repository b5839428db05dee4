/// The file that lets a bus start a program (D-Bus specification, "Message Bus Starting Services").
package struct ServiceFile: Sendable {
    let name: String
    let command: CommandWords

    /// The folder of service files, relative to a data folder or to the runtime directory.
    package static let folder = "dbus-1/services"

    var text: String { "[D-BUS Service]\nName=\(name)\nExec=\(KeyFileText.escaped(command.text))\n" }

    /// - Parameter folder: a data folder, or the runtime directory, where the file must be named after the service.
    func planned(in folder: String) -> PlannedFile { .whole("\(folder)/\(Self.folder)/\(name).service", text) }
}
