/// The lists of which program opens what; Association between MIME types and applications, "File name and location".
package enum MimeAppsList {
    package static let fileName = "mimeapps.list"
    package static let defaults = "Default Applications"
    static let added = "Added Associations"
    static let removed = "Removed Associations"

    /// The user's own list, where programs write; `nil` without a home.
    package static func path(in directories: BaseDirectories) -> String? {
        directories.configHome.map { "\($0)/\(fileName)" }
    }

    /// All lists in the order in which they count.
    package static func paths(in directories: BaseDirectories) -> [String] {
        let folders = directories.config + directories.data.map { "\($0)/\(DesktopEntry.folder)" }
        let names = directories.desktops.map { "\($0)-\(fileName)" } + [fileName]
        return folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    }
}
