internal import IPCDBus
internal import IPCInterface

extension Application {
    /// Explains which application would get a URL. Without any claim this is no error.
    /// - Throws: `invalidURL`.
    public func resolve(_ url: String) async throws(IPCError) -> URLResolution {
        try check(url: url)
        return URLResolution(try await link.call(Schemes1.resolveURL, (url, NoOptions()), repeatable: true))
    }

    /// The claims to one scheme, the one that handles it first; empty where there is none.
    /// - Throws: `invalidName`.
    public func handlers(of scheme: String) async throws(IPCError) -> [Handler] {
        try check(schemes: [scheme])
        return try await page(of: scheme, PageOptions())
    }

    /// The claims to all schemes, sorted by scheme; read page by page while it is iterated.
    public nonisolated func handlers() -> Listing<Handler> {
        Listing { after throws(IPCError) in
            var options = PageOptions()
            options.after = after?.scheme
            return try await self.page(of: "", options)
        }
    }

    private func page(of scheme: String, _ options: PageOptions) async throws(IPCError) -> [Handler] {
        let rows = try await link.call(Schemes1.listHandlers, (scheme, options), repeatable: true)
        return rows.map { Handler($0.facts, scheme: $0.scheme) }
    }

    /// Stores the user's choice of the application that handles a scheme; only for an explicit act of the user.
    /// - Parameters:
    ///   - application: `nil` forgets the choice.
    ///   - scheme: the scheme, without a colon.
    public func setDefault(_ application: String?, for scheme: String) async throws(IPCError) {
        try check(schemes: [scheme])
        if let application { try check(application: application) }
        try await link.call(Schemes1.setDefault, (scheme, application ?? "", NoOptions()), repeatable: true)
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
        try check(schemes: schemes)
        try check(application: application ?? id)
        if !persistent && (application ?? id) == id {
            return try await receive(schemes, window: window, allowReserved: allowReserved)
        }
        var options = RegisterOptions()
        if persistent { options.persistent = true }
        if window != 1 { options.window = window }
        if allowReserved { options.allowReserved = true }
        // What this library receives it can take as descriptors; of other programs nothing is known by itself.
        if takesDescriptors || (application ?? id) == id { options.fd = link.takesDescriptors }
        let result = try await link.call(
            Schemes1.register, (application ?? id, schemes, options), repeatable: true)
        return (result.conflicts ?? []).map { Handler($0) }
    }

    /// Gives up claims to schemes; a scheme that is not claimed is no error.
    /// - Parameters:
    ///   - schemes: empty means all of the application.
    ///   - application: whose claims; this application's if `nil`.
    public func unregister(_ schemes: [String] = [], of application: String? = nil) async throws(IPCError) {
        let application = application ?? id
        try check(schemes: schemes)
        try check(application: application)
        try await link.call(Schemes1.unregister, (application, schemes, NoOptions()), repeatable: true)
        if application == id { forget(schemes) }
    }
}
