internal import IPCDesktop

/// How the desktop and the bus start an application that claims schemes.
public struct DesktopOptions: Sendable, Hashable {
    /// The command line that starts the application, quoted as in a shell, but not run by one. `nil` keeps the command
    /// that is already registered, if any.
    public var command: String?
    /// Whether to replace another program as the desktop's handler. Use it only on the user's explicit request.
    public var isDefault = false
    /// The absolute path of `ipc-client`, which passes URLs from the desktop to the broker; `nil` to find it in `PATH`.
    public var opener: String?
    /// Whether an earlier command and default go if they are not stated again.
    package var isExact = false

    public init() {}
}

/// The files that were written for an application, and the schemes whose URLs the desktop opens with it.
public struct DesktopLinks: Sendable, Hashable {
    /// A file that has changed.
    public struct File: Sendable, Hashable {
        public let path: String
        /// `made`, `changed` or `removed`; `kept` if another program has changed the file, so that it was not restored.
        public let change: String
    }

    /// The changed files; empty if no change was needed.
    public let files: [File]
    /// The schemes whose URLs browsers, `xdg-open` and `gio open` now open with the application.
    public let schemes: [URLScheme]
    /// The schemes that the desktop opens with another program, each with the path of that program's desktop entry.
    public let elsewhere: [URLScheme: String]
    /// Whether the bus can start the application; `nil` if there is no command.
    public let isActivatable: Bool?

    init(_ changes: [FileChange], _ result: DesktopRegistration.Result? = nil, isActivatable: Bool? = nil) {
        files = changes.map { File(path: $0.path, change: $0.kind.rawValue) }
        schemes = result?.schemes ?? []
        elsewhere = Dictionary(
            result?.elsewhere.map { ($0.scheme, $0.path) } ?? [], uniquingKeysWith: { first, _ in first })
        self.isActivatable = isActivatable
    }
}
