internal import IPCInterface

extension Application {
    /// Explains which application would get a URL. Without any claim this is no error.
    /// - Throws: `invalidURL`.
    public func resolve(_ url: String) async throws(IPCError) -> URLResolution {
        try await claims.resolve(URLText(checking: url))
    }

    /// The claims to one scheme, the one that handles it first; empty where there is none.
    /// - Throws: `invalidName`.
    public func handlers(of scheme: String) async throws(IPCError) -> [Handler] {
        try await claims.handlers(of: URLScheme(checking: scheme))
    }

    /// The claims to all schemes, sorted by scheme; read page by page while it is iterated.
    public nonisolated func handlers() -> Listing<Handler> {
        Listing { [claims] after throws(IPCError) in try await claims.handlers(of: nil, after: after?.scheme) }
    }

    /// Stores the user's choice of the application that handles a scheme; only for an explicit act of the user.
    /// - Parameters:
    ///   - application: `nil` forgets the choice.
    ///   - scheme: the scheme, without a colon.
    public func setDefault(_ application: String?, for scheme: String) async throws(IPCError) {
        let scheme = try URLScheme(checking: scheme)
        try await claims.setDefault(application.map(ApplicationID.init(checking:)), for: scheme)
    }

    /// Claims schemes.
    ///
    /// Without `persistent` this application itself becomes a handler, as with
    /// ``connect(id:schemes:window:allowReserved:resends:bus:)``, and requests come to ``openURLs``. With it the claims
    /// are stored and outlive every process.
    ///
    /// - Parameters:
    ///   - schemes: the schemes, without a colon.
    ///   - application: who claims them; this application if `nil`. Another one can claim persistently only.
    ///   - persistent: whether the claims are stored.
    ///   - window: how many requests may be on their way to a handler at a time.
    ///   - allowReserved: accept schemes such as `http` too; only for an explicit act of the user.
    ///   - takesDescriptors: whether another application takes values above 64 KiB as descriptors, and so payloads above
    ///     16 MiB, as all programs of this library do; true by itself for this application.
    /// - Returns: the claims of others to the same schemes.
    @discardableResult
    public func register(
        _ schemes: [String], for application: String? = nil, persistent: Bool = false, window: UInt32 = 1,
        allowReserved: Bool = false, takesDescriptors: Bool = false
    ) async throws(IPCError) -> [Handler] {
        let (schemes, claimant) = (try [URLScheme](checking: schemes), try applicationID(application))
        let isOwn = claimant.text == id
        // What this library receives it can take as descriptors; of other programs nothing is known by itself.
        let options = RegisterOptions(
            persistent: persistent, window: window, allowReserved: allowReserved,
            fd: takesDescriptors || isOwn ? link.takesDescriptors : nil)
        return isOwn && !persistent
            ? try await receiver.receive(schemes, options)
            : try await claims.register(schemes, for: claimant, options)
    }

    /// Gives up claims to schemes; a scheme that is not claimed is no error.
    /// - Parameters:
    ///   - schemes: empty means all of the application.
    ///   - application: whose claims; this application's if `nil`.
    public func unregister(_ schemes: [String] = [], of application: String? = nil) async throws(IPCError) {
        let (schemes, claimant) = (try [URLScheme](checking: schemes), try applicationID(application))
        try await claims.unregister(schemes, of: claimant)
        if claimant.text == id { receiver.forget(schemes) }
    }

    /// Who may open the URLs of an application; everybody where nobody has set anything.
    /// - Parameter application: this application if `nil`.
    public func policy(of application: String? = nil) async throws(IPCError) -> AccessPolicy {
        try await claims.policy(of: applicationID(application))
    }

    /// Stores who may open the URLs of an application, from now on and over restarts. Who is kept out gets
    /// `accessDenied`.
    /// - Parameters:
    ///   - policy: the rules that hold from then on.
    ///   - application: this application if `nil`.
    /// - Throws: `invalidName`; `accessDenied` in a sandbox.
    public func setPolicy(_ policy: AccessPolicy, of application: String? = nil) async throws(IPCError) {
        try await claims.setPolicy(policy, of: applicationID(application))
    }

    /// Makes the desktop bring URLs with these schemes to an application, through the broker, beside a stored claim
    /// (``register(_:for:persistent:window:allowReserved:takesDescriptors:)`` with `persistent`), and says how the bus
    /// starts it.
    ///
    /// Writes one desktop entry below `XDG_DATA_HOME`, with ``DesktopOptions/command`` a D-Bus service file, and the
    /// user's default where nobody else handles a scheme. A scheme that another program handles on the desktop is left
    /// to it. What stood there before is kept for ``unregisterFromDesktop(_:of:)``, which brings exactly that back.
    ///
    /// - Parameters:
    ///   - schemes: as they are to be spelled.
    ///   - application: who gets them; this application if `nil`.
    ///   - options: how the bus starts it, and whether others are displaced.
    /// - Returns: the files, and what was left to others.
    /// - Throws: `invalidArguments` for a command that cannot be run, without a home, or without an opener;
    ///   `accessDenied`, `noSpace` or `inputOutput` for a file that cannot be written.
    @discardableResult
    public func registerOnDesktop(
        _ schemes: [String], for application: String? = nil, options: DesktopOptions = DesktopOptions()
    ) async throws(IPCError) -> DesktopLinks {
        try await desktop.register(applicationID(application), [URLScheme](checking: schemes), options)
    }

    /// Takes back what ``registerOnDesktop(_:for:options:)`` has written.
    /// - Parameters:
    ///   - schemes: empty means all of the application.
    ///   - application: whose; this application's if `nil`.
    @discardableResult
    public func unregisterFromDesktop(
        _ schemes: [String] = [], of application: String? = nil
    ) async throws(IPCError) -> DesktopLinks {
        try await desktop.unregister(applicationID(application), [URLScheme](checking: schemes))
    }

    private nonisolated func applicationID(_ application: String?) throws(IPCError) -> ApplicationID {
        try ApplicationID(checking: application ?? id)
    }
}
