package import IPCModel

/// The desktop entry by which browsers, `xdg-open` and `gio open` reach an application through the broker: nothing that
/// a person sees in a menu, and never activated by D-Bus, because the URL would go round the broker then.
package struct DesktopEntry: Sendable, Hashable {
    package let application: ApplicationID
    /// The absolute path of `ipc-client`.
    package let opener: String
    package let schemes: [URLScheme]

    /// - Parameters:
    ///   - opener: an absolute path without line ends.
    ///   - schemes: as they were registered.
    package init(application: ApplicationID, opener: String, schemes: [URLScheme]) {
        self.application = application
        self.opener = opener
        self.schemes = schemes
    }

    /// The folder of desktop entries below one of data.
    package static let folder = "applications"

    /// The name of the file: the id with `_` for `-`, since xdg-utils before 1.2 takes a hyphen for a folder, and where
    /// it finds none damages the default browser.
    /// - Parameter isSecond: whether another entry has that name, which is then the application's own in the menu.
    package static func fileName(of application: ApplicationID, isSecond: Bool = false) -> String {
        application.text.map { $0 == "-" ? "_" : String($0) }.joined() + (isSecond ? ".links" : "") + ".desktop"
    }

    /// The key that marks an entry as one of these.
    package static let mark = "X-SwiftIPC-Application"

    /// The content types of the schemes, each in both spellings.
    package var types: [String] { schemes.flatMap { SchemeType.names(of: $0) } }

    /// The file; Desktop Entry Specification.
    package var text: String {
        """
        [Desktop Entry]
        Type=Application
        Name=\(application)
        Exec=\(Self.commandLine(opener))
        MimeType=\(KeyFileText.list(types))
        NoDisplay=true
        Terminal=false
        \(Self.mark)=\(application)

        """
    }

    /// `Exec` of an entry that opens one URL; "The Exec key". The URL is one argument, so `%u` stands unquoted.
    package static func commandLine(_ opener: String) -> String {
        KeyFileText.escaped(quoted(opener)) + " open %u"
    }

    /// An argument in quotation marks where it holds what the specification reserves.
    private static func quoted(_ argument: String) -> String {
        let doubled = argument.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
        let reserved: Set<Character> = [
            " ", "\t", "\n", "\"", "'", "\\", ">", "<", "~", "|", "&", ";", "$", "*", "?", "#", "(", ")", "`",
        ]
        guard doubled.contains(where: reserved.contains) else { return doubled }
        return "\""
            + doubled.map { character in
                ["\"", "`", "$", "\\"].contains(character) ? "\\\(character)" : String(character)
            }.joined() + "\""
    }
}

/// What is read of a desktop entry of any program, as far as it concerns who handles what.
package struct InstalledEntry: Sendable, Hashable {
    /// The desktop file id: the path below `applications` with `-` for `/`.
    package let id: String
    package let path: String
    package let types: [String]
    /// The application id of an entry that this package has written.
    package let application: String?

    /// - Returns: `nil` for what is hidden (as if it were deleted) or no entry at all.
    init?(id: String, path: String, bytes: [UInt8]) {
        let lines = KeyFile(bytes: bytes)
        let group = "Desktop Entry"
        guard lines.value(of: "Hidden", in: group) != "true",
            lines.value(of: "Exec", in: group) != nil
                || lines.value(of: "DBusActivatable", in: group) == "true"
        else { return nil }
        self.id = id
        self.path = path
        types = lines.list(of: "MimeType", in: group) ?? []
        application = lines.value(of: DesktopEntry.mark, in: group)
    }
}
