import Digests
import IPC

/// The secret that proves that a code was issued to this client; PKCE, RFC 7636.
///
/// The browser and any program that opens the redirect URL see the code. It is useless without this secret.
public struct CodeVerifier: Sendable, Hashable {
    /// The secret: 43 to 128 characters of `[A-Za-z0-9-._~]`, §4.1.
    public let text: String

    /// The only method of this example. The other one, `plain`, shows the secret to any program that sees the page's URL.
    public static let method = "S256"

    private static let characters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// Creates a random secret.
    public init() { text = RandomText.make() }

    /// Reads a secret from its text.
    /// - Returns: `nil` if the text is not a valid secret.
    public init?(_ text: String) {
        guard (43...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.characters.contains) else {
            return nil
        }
        self.text = text
    }

    /// The digest of the secret, which the server gets before it issues the code; `S256` of §4.2.
    public var challenge: String { RandomText.base64URL(SHA256.digest(of: text)) }
}

/// Compares secrets in constant time, so that the time does not reveal where they differ.
public func isSameSecret(_ left: String, _ right: String) -> Bool {
    // All 32 bytes are compared, wherever the first difference is, and digests do not reveal the length of a secret.
    zip(SHA256.digest(of: left), SHA256.digest(of: right)).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
