internal import IPCModel

/// The desktop entry through which browsers, `xdg-open` and `gio open` reach an application by way of the broker. Menus
/// do not show it, and D-Bus never activates it, because the URL would then bypass the broker. ``DesktopRegistration``
/// writes it. In contrast, an ``InstalledEntry`` was read from a file and may belong to any program.
package struct DesktopEntry: Sendable {
    let application: ApplicationID
    /// The absolute path of `ipc-client`, without newlines.
    let opener: String
    /// The schemes, spelled as they were registered.
    let schemes: [URLScheme]

    /// The folder of desktop entries, relative to a data folder.
    package static let folder = "applications"

    /// The file name: the id with `_` in place of `-`. Versions of xdg-utils before 1.2 treat the part before a hyphen
    /// as a folder, and break the default browser if there is no such folder.
    /// - Parameter isSecond: whether to add `.links`, because the application's own menu entry has the plain name.
    static func fileName(of application: ApplicationID, isSecond: Bool = false) -> String {
        application.text.map { $0 == "-" ? "_" : String($0) }.joined() + (isSecond ? ".links" : "") + ".desktop"
    }

    /// The key that marks a desktop entry as written by ``DesktopRegistration``. Its value is the application id.
    package static let mark = "X-SwiftIPC-Application"

    /// The content of the desktop entry's file (Desktop Entry Specification).
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

    /// The `Exec` value of an entry that opens one URL ("The Exec key"). The URL is one argument, so `%u` is unquoted.
    package static func commandLine(_ opener: String) -> String {
        KeyFileText.escaped(quoted(opener)) + " open --notify %u"
    }

    /// An argument, in quotation marks if it contains a reserved character.
    private static func quoted(_ argument: String) -> String {
        let doubled = argument.spelling { $0 == "%" ? "%%" : nil }
        let reserved: Set<Unicode.Scalar> = [
            " ", "\t", "\n", "\"", "'", "\\", ">", "<", "~", "|", "&", ";", "$", "*", "?", "#", "(", ")", "`",
        ]
        guard doubled.unicodeScalars.contains(where: reserved.contains) else { return doubled }
        return "\"" + doubled.spelling { "\"`$\\".unicodeScalars.contains($0) ? "\\\($0)" : nil } + "\""
    }
}
