internal import IPCInterface

extension Application {
    /// Explains which application would get a URL. A URL without a handler is no error.
    /// - Throws: `invalidURL`.
    public func resolve(_ url: String) async throws(IPCError) -> URLResolution {
        try await claims.resolve(URLText(url))
    }

    /// The claims to one scheme, its handler first; empty if there is none.
    public func handlers(of scheme: URLScheme) async throws(IPCError) -> [Handler] {
        try await claims.handlers(of: scheme)
    }

    /// The claims to all schemes, sorted by scheme; read page by page during the iteration.
    public nonisolated func handlers() -> Listing<Handler> {
        Listing { [claims] after throws(IPCError) in try await claims.handlers(of: nil, after: after?.scheme) }
    }

    /// Stores the user's choice of the application that handles a scheme; `nil` removes the choice. Only for an
    /// explicit act of the user.
    public func setDefault(_ application: ApplicationID?, for scheme: URLScheme) async throws(IPCError) {
        try await claims.setDefault(application, for: scheme)
    }

    /// Claims schemes.
    ///
    /// Without `persistent`, this application itself becomes a handler, as with
    /// ``connect(id:schemes:window:allowReserved:resends:bus:)``, and requests arrive in ``openURLs``. With
    /// `persistent`, the claims are stored and outlive every process.
    ///
    /// - Parameters:
    ///   - schemes: the schemes, without a colon.
    ///   - application: the claimant; this application if `nil`. Another application can only claim persistently.
    ///   - persistent: whether the claims are stored.
    ///   - window: the most unanswered requests that the broker delivers to a handler at a time.
    ///   - allowReserved: accepts schemes such as `http` too; only for an explicit act of the user.
    ///   - takesDescriptors: whether another application takes values above 64 KiB as descriptors, and so payloads
    ///     above 16 MiB. All programs of this library do; for this application it is always true.
    /// - Returns: other applications' claims to the same schemes.
    @discardableResult
    public func register(
        _ schemes: [URLScheme], for application: ApplicationID? = nil, persistent: Bool = false, window: UInt32 = 1,
        allowReserved: Bool = false, takesDescriptors: Bool = false
    ) async throws(IPCError) -> [Handler] {
        let claimant = application ?? id
        let isOwn = claimant == id
        // This library takes descriptors. Whether another program does is not known.
        let options = RegisterOptions(
            persistent: persistent, window: window, allowReserved: allowReserved,
            fd: takesDescriptors || isOwn ? link.takesDescriptors : nil)
        return isOwn && !persistent
            ? try await receiver.receive(schemes, options)
            : try await claims.register(schemes, for: claimant, options)
    }

    /// Releases an application's claims to schemes. No schemes mean all, and no application means this one. A scheme
    /// that is not claimed is no error.
    public func unregister(
        _ schemes: [URLScheme] = [], of application: ApplicationID? = nil
    ) async throws(IPCError) {
        let claimant = application ?? id
        try await claims.unregister(schemes, of: claimant)
        if claimant == id { receiver.forget(schemes) }
    }

    /// The rules that say which applications may open the URLs of an application, by default of this one. Without
    /// stored rules, all may.
    public func policy(of application: ApplicationID? = nil) async throws(IPCError) -> AccessPolicy {
        try await claims.policy(of: application ?? id)
    }

    /// Stores the rules that say which applications may open the URLs of an application, by default of this one. They
    /// apply from now on and over restarts. Other senders get `accessDenied`.
    /// - Throws: `accessDenied` in a sandbox.
    public func setPolicy(_ policy: AccessPolicy, of application: ApplicationID? = nil) async throws(IPCError) {
        try await claims.setPolicy(policy, of: application ?? id)
    }

    /// Makes the desktop open URLs with these schemes in an application, through the broker, and sets how the bus
    /// starts it. The claim itself is stored by ``register(_:for:persistent:window:allowReserved:takesDescriptors:)``
    /// with `persistent`.
    ///
    /// Writes one desktop entry below `XDG_DATA_HOME`, a D-Bus service file if there is a ``DesktopOptions/command``,
    /// and the user's default for schemes that no other program handles. Other programs keep their schemes.
    /// ``unregisterFromDesktop(_:of:)`` restores the previous content.
    ///
    /// - Parameters:
    ///   - schemes: the schemes, as they are to be spelled.
    ///   - application: the handler; this application if `nil`.
    ///   - options: how the bus starts it, and whether it replaces other handlers.
    /// - Returns: the files, and the schemes that other programs keep.
    /// - Throws: `invalidArguments` for a command that cannot be run, without a home, or without an opener;
    ///   `accessDenied`, `noSpace` or `inputOutput` for a file that cannot be written.
    @discardableResult
    public func registerOnDesktop(
        _ schemes: [URLScheme], for application: ApplicationID? = nil, options: DesktopOptions = DesktopOptions()
    ) async throws(IPCError) -> DesktopLinks {
        try await desktop.register(application ?? id, schemes, options)
    }

    /// Undoes ``registerOnDesktop(_:for:options:)``. No schemes mean all, and no application means this one.
    @discardableResult
    public func unregisterFromDesktop(
        _ schemes: [URLScheme] = [], of application: ApplicationID? = nil
    ) async throws(IPCError) -> DesktopLinks {
        try await desktop.unregister(application ?? id, schemes)
    }
}
