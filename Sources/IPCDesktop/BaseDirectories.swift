/// The folders for the files of one user and of the machine (XDG Base Directory Specification).
package struct BaseDirectories: Sendable, Hashable {
    /// `XDG_DATA_HOME`, or else `~/.local/share`; `nil` if there is no home directory.
    package let dataHome: String?
    /// `XDG_CONFIG_HOME`, or else `~/.config`; `nil` if there is no home directory.
    package let configHome: String?
    /// `XDG_RUNTIME_DIR`, which belongs to this user and is removed when the session ends; `nil` if it is not set.
    package let runtime: String?
    /// `XDG_DATA_DIRS`, the most important first, without ``dataHome``.
    package let systemData: [String]
    /// `XDG_CONFIG_DIRS`, the most important first, without ``configHome``.
    package let systemConfig: [String]
    /// The desktops in `XDG_CURRENT_DESKTOP`, in lower case. A desktop's list of defaults precedes the common list.
    package let desktops: [String]

    /// Reads an environment. As the specification says, empty variables count as unset, and relative paths are ignored.
    package init(environment: (String) -> String?) {
        let home = Self.absolute(environment("HOME"))
        dataHome = Self.absolute(environment("XDG_DATA_HOME")) ?? home.map { $0 + "/.local/share" }
        configHome = Self.absolute(environment("XDG_CONFIG_HOME")) ?? home.map { $0 + "/.config" }
        runtime = Self.absolute(environment("XDG_RUNTIME_DIR"))
        systemData = Self.list(environment("XDG_DATA_DIRS"), "/usr/local/share:/usr/share")
        systemConfig = Self.list(environment("XDG_CONFIG_DIRS"), "/etc/xdg")
        desktops = (environment("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":").map { $0.lowercased() }
    }

    private static func list(_ text: String?, _ usual: String) -> [String] {
        (text.flatMap { $0.isEmpty ? nil : $0 } ?? usual).split(separator: ":").compactMap { absolute(String($0)) }
    }

    /// The path without trailing slashes; `nil` if it is not absolute.
    private static func absolute(_ path: String?) -> String? {
        guard var path, path.hasPrefix("/") else { return nil }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The folder that contains only the broker's store; other files go beside it. `nil` if ``dataHome`` is `nil`.
    package var store: String? { dataHome.map { $0 + "/swift-ipc/store" } }

    /// The data folders, the user's own first.
    package var data: [String] { [dataHome].compactMap(\.self) + systemData }

    /// The configuration folders, the user's own first.
    package var config: [String] { [configHome].compactMap(\.self) + systemConfig }
}
