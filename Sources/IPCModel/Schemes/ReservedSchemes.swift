extension URLScheme {
    /// The schemes whose handler the system depends on (I22), in canonical form.
    ///
    /// Who takes `https` takes the user's browser, and who takes `javascript` or `data` takes content for a place. They
    /// are registered only where the caller says `allow-reserved`.
    package static let reserved: Set<String> = [
        "http", "https", "file", "ftp", "mailto", "tel", "data", "javascript", "vbscript", "about", "blob",
        "view-source", "dbus",
    ]

    /// Whether the scheme is one of ``reserved``.
    package var isReserved: Bool { Self.reserved.contains(canonical) }
}
