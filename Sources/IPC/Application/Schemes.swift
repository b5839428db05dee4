internal import IPCInterface

extension Application {
    /// Explains which application would get a URL. It is not an error if there is no handler.
    /// - Throws: `invalidURL`.
    public func resolve(_ url: String) async throws(IPCError) -> URLResolution {
        try await claims.resolve(URLText(url))
    }

    /// The claims to one scheme, its handler first; empty if there are none.
    public func handlers(of scheme: URLScheme) async throws(IPCError) -> [Handler] {
        try await claims.handlers(of: scheme)
    }

    /// The claims to all schemes, sorted by scheme. They are read page by page as you iterate.
    public nonisolated func handlers() -> Listing<Handler> {
        Listing { [claims] after throws(IPCError) in try await claims.handlers(of: nil, after: after?.scheme.text) }
    }

    /// Stores the user's choice of the application that handles a scheme; `nil` removes the choice. Use it only on the
    /// user's explicit request.
    public func setDefault(_ application: ApplicationID?, for scheme: URLScheme) async throws(IPCError) {
        try await claims.setDefault(application, for: scheme)
    }

    /// The applications that the user chose for schemes, sorted by scheme, even if they do not claim them at present.
    package nonisolated func choices() -> Listing<SchemeChoice> {
        Listing { [claims] after throws(IPCError) in try await claims.choices(after: after?.scheme) }
    }

    /// The stored policies, sorted by application.
    package nonisolated func policies() -> Listing<StoredPolicy> {
        Listing { [claims] after throws(IPCError) in try await claims.policies(after: after?.application) }
    }

    /// Claims schemes. Without `persistent`, this application itself becomes a handler, as with
    /// ``connect(id:schemes:window:allowReserved:resends:bus:)``, and requests arrive in ``openURLs``. With
    /// `persistent`, the claims are stored and outlive every process.
    /// - Parameters:
    ///   - schemes: the schemes, without a colon.
    ///   - application: the application that claims them; `nil` means this one. For another one, set `persistent`.
    ///   - persistent: whether the claims are stored.
    ///   - window: how many unanswered requests the broker may deliver to a handler at once.
    ///   - allowReserved: whether schemes such as `http` are accepted. Use it only on the user's explicit request.
    ///   - takesDescriptors: whether another application accepts values above 64 KiB as descriptors, and therefore
    ///     payloads above 16 MiB. All programs that use this library do; for this application, it is always true.
    /// - Returns: other applications' claims to the same schemes.
    @discardableResult
    public func register(
        _ schemes: [URLScheme], for application: ApplicationID? = nil, persistent: Bool = false, window: UInt32 = 1,
        allowReserved: Bool = false, takesDescriptors: Bool = false
    ) async throws(IPCError) -> [Handler] {
        let claimant = application ?? id
        let isOwn = claimant == id
        // This library accepts descriptors. Whether another program does is unknown here.
        let options = RegisterOptions(
            persistent: persistent, window: window, allowReserved: allowReserved,
            fd: takesDescriptors || isOwn ? link.takesDescriptors : nil)
        return isOwn && !persistent
            ? try await receiver.receive(schemes, options)
            : try await claims.register(schemes, for: claimant, options)
    }

    /// Releases an application's claims to schemes. An empty list means all schemes, and `nil` means this application.
    /// It is not an error if a scheme is not claimed.
    public func unregister(
        _ schemes: [URLScheme] = [], of application: ApplicationID? = nil
    ) async throws(IPCError) {
        let claimant = application ?? id
        try await claims.unregister(schemes, of: claimant)
        if claimant == id { receiver.forget(schemes) }
    }

    /// The rules that decide which applications may open an application's URLs; `nil` means this application. If no
    /// rules are stored, all applications may open them.
    public func policy(of application: ApplicationID? = nil) async throws(IPCError) -> AccessPolicy {
        try await claims.policy(of: application ?? id)
    }

    /// Stores the rules that decide which applications may open an application's URLs; `nil` means this application.
    /// The rules apply from now on, even across restarts. Senders that they do not allow get `accessDenied`.
    /// - Throws: `accessDenied` in a sandbox.
    public func setPolicy(_ policy: AccessPolicy, of application: ApplicationID? = nil) async throws(IPCError) {
        try await claims.setPolicy(policy, of: application ?? id)
    }

    /// Makes the desktop open URLs with these schemes in an application, through the broker, and sets how the bus
    /// starts it. To store the claim itself, use ``register(_:for:persistent:window:allowReserved:takesDescriptors:)``
    /// with `persistent`.
    ///
    /// Writes a desktop entry under `XDG_DATA_HOME`, a D-Bus service file if there is a ``DesktopOptions/command``, and
    /// the user's default for schemes that no other program handles. Other programs keep their schemes.
    /// ``unregisterFromDesktop(_:of:)`` restores the previous files.
    /// - Parameters:
    ///   - schemes: the schemes, in the spelling to use.
    ///   - application: the handler; `nil` means this application.
    ///   - options: how the bus starts it, and whether it replaces other handlers.
    /// - Returns: the changed files, and the schemes that other programs keep.
    /// - Throws: `invalidArguments` if the command cannot be run, or if there is no home directory or no opener;
    ///   `accessDenied`, `noSpace` or `inputOutput` if a file cannot be written.
    @discardableResult
    public func registerOnDesktop(
        _ schemes: [URLScheme], for application: ApplicationID? = nil, options: DesktopOptions = DesktopOptions()
    ) async throws(IPCError) -> DesktopLinks {
        try await desktop.register(application ?? id, schemes, options)
    }

    /// Undoes ``registerOnDesktop(_:for:options:)``. An empty list means all schemes, and `nil` means this application.
    @discardableResult
    public func unregisterFromDesktop(
        _ schemes: [URLScheme] = [], of application: ApplicationID? = nil
    ) async throws(IPCError) -> DesktopLinks {
        try await desktop.unregister(application ?? id, schemes)
    }
}
