internal import IPCDesktop

/// What the desktop and the bus are told of an application that claims schemes.
public struct DesktopOptions: Sendable, Hashable {
    /// The command line by which the bus starts the application: words, quoted as in a shell, which does not run it.
    /// `nil`: the one that was registered before, if any.
    public var command: String?
    /// Whether the application becomes the desktop's handler also where another program is it; only for an explicit act
    /// of the user.
    public var isDefault = false
    /// The absolute path of `ipc-client`, by which the desktop hands URLs to the broker; `nil`: the one in `PATH`.
    public var opener: String?

    public init() {}
}

/// What was written for an application, and what comes to it from the desktop.
public struct DesktopLinks: Sendable, Hashable {
    /// A file that is another one than before.
    public struct File: Sendable, Hashable {
        public let path: String
        /// `made`, `changed` or `removed`; `kept` for one that was to be taken back and that somebody else has changed.
        public let change: String
    }

    /// What has become of which file; empty where all was as it is to be.
    public let files: [File]
    /// The schemes that browsers, `xdg-open` and `gio open` bring here now.
    public let schemes: [String]
    /// The schemes that another program handles on the desktop, with the path of its desktop entry: they are left to it.
    public let elsewhere: [String: String]
    /// Whether the bus can start the application; `nil` where nothing was said of how to start it.
    public let isActivatable: Bool?

    init(_ changes: [FileChange], _ result: DesktopRegistration.Result? = nil, isActivatable: Bool? = nil) {
        files = changes.map { File(path: $0.path, change: $0.kind.rawValue) }
        schemes = result?.schemes.map(\.spelling) ?? []
        elsewhere = Dictionary(
            result?.elsewhere.map { ($0.scheme.spelling, $0.path) } ?? [], uniquingKeysWith: { first, _ in first })
        self.isActivatable = isActivatable
    }
}
