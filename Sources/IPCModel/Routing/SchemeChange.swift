/// The handler of a scheme is another one than before; what the signal `HandlerChanged` tells.
package struct SchemeChange: Sendable, Hashable {
    /// The scheme, as it was spelled in the call that changed it.
    package let scheme: URLScheme
    /// Who handled it before; nil for nobody.
    package let old: ApplicationID?
    /// Who handles it now; nil for nobody.
    package let new: ApplicationID?

    package init(scheme: URLScheme, old: ApplicationID?, new: ApplicationID?) {
        self.scheme = scheme
        self.old = old
        self.new = new
    }
}

/// Why schemes cannot be registered.
package enum SchemeRegistryError: Condition, Hashable {
    /// The list of schemes is empty.
    case noSchemes
    /// The scheme belongs to the system and was not explicitly allowed (I22).
    case reserved(URLScheme)
    /// A limit would be exceeded.
    case limitExceeded(LimitExceeded)

    package var ipcError: IPCError {
        switch self {
        case .noSchemes:
            IPCError(.invalidArguments, "the list of schemes is empty; name at least one scheme to register")
        case .reserved(let scheme):
            IPCError(
                .reservedScheme,
                "the scheme \(scheme.spelling.quoted) is reserved for the system; "
                    + Advice.allowReserved.rawValue)
        case .limitExceeded(let limit):
            limit.ipcError
        }
    }
}
