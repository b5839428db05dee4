internal import IPCModel

/// The desktop entry for browsers, `xdg-open` and `gio open` to reach an application through the broker: no menu shows
/// it, and D-Bus never activates it, because the URL would bypass the broker then. ``DesktopRegistration`` writes it.
/// ``InstalledEntry`` is any entry as it is read.
package struct DesktopEntry: Sendable {
    let application: ApplicationID
    /// The absolute path of `ipc-client`, without line ends.
    let opener: String
    /// The schemes as they were registered.
    let schemes: [URLScheme]

    /// The folder of desktop entries, below a folder of data.
    package static let folder = "applications"

    /// The name of the file: the id with `_` for `-`. xdg-utils before 1.2 takes a hyphen for a folder, and damages the
    /// default browser if it finds none.
    /// - Parameter isSecond: whether another entry, the application's own in the menu, has the first name.
    static func fileName(of application: ApplicationID, isSecond: Bool = false) -> String {
        application.text.map { $0 == "-" ? "_" : String($0) }.joined() + (isSecond ? ".links" : "") + ".desktop"
    }

    /// The key that marks an entry as one of these.
    package static let mark = "X-SwiftIPC-Application"

    /// The file; Desktop Entry Specification.
    var text: String {
        """
        [Desktop Entry]
        Type=Application
        Name=\(application)
        Exec=\(Self.commandLine(opener))
        MimeType=\(KeyFileText.list(SchemeType.names(of: schemes)))
        NoDisplay=true
        Terminal=false
        \(Self.mark)=\(application)

        """
    }

    /// `Exec` of an entry that opens one URL; "The Exec key". The URL is one argument, so `%u` stands unquoted.
    package static func commandLine(_ opener: String) -> String { KeyFileText.escaped(quoted(opener)) + " open %u" }

    /// An argument, in quotation marks if it contains a reserved character.
    private static func quoted(_ argument: String) -> String {
        let doubled = argument.replacing("%", with: "%%")
        let reserved: Set<Character> = [
            " ", "\t", "\n", "\"", "'", "\\", ">", "<", "~", "|", "&", ";", "$", "*", "?", "#", "(", ")", "`",
        ]
        guard doubled.contains(where: reserved.contains) else { return doubled }
        return "\"" + doubled.map { "\"`$\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "\""
    }
}
