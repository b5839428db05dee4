package import IPCModel

/// The content types by which a desktop knows handlers of URL schemes; Shared MIME-info Database, "URI scheme handlers".
package enum SchemeType {
    package static let prefix = "x-scheme-handler/"

    /// The types of a scheme: as it is spelled, for xdg-open before 1.2, and in small letters, for all others.
    package static func names(of scheme: URLScheme) -> [String] {
        scheme.spelling == scheme.canonical
            ? [prefix + scheme.canonical] : [prefix + scheme.spelling, prefix + scheme.canonical]
    }

    /// The scheme of a type; `nil` for every other type.
    package static func scheme(of type: String) -> URLScheme? {
        guard type.lowercased().hasPrefix(prefix) else { return nil }
        return try? URLScheme(String(type.dropFirst(prefix.count)))
    }
}
