import Crypto
import Foundation
import IPC

/// The secret by which a client shows that a code was issued to itself; PKCE, RFC 7636.
///
/// The browser and whatever opens the URL that it is sent to see the code. Without this they can do nothing with it.
public struct CodeVerifier: Sendable, Hashable {
    /// The secret: 43 to 128 of `[A-Za-z0-9-._~]`, §4.1.
    public let text: String

    private static let characters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// Makes a new one.
    public init() { text = RandomText.make() }

    /// Takes one that stands somewhere.
    /// - Returns: `nil` for a text that is none.
    public init?(_ text: String) {
        guard (43...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.characters.contains) else {
            return nil
        }
        self.text = text
    }

    /// What the server is told before: the digest of the secret, `S256` of §4.2.
    public var challenge: String { RandomText.base64URL(SHA256.hash(data: Data(text.utf8))) }
}

/// Compares secrets in a time that tells nothing of where they differ.
public func isSameSecret(_ left: String, _ right: String) -> Bool {
    // swift-crypto compares digests in constant time.
    SHA256.hash(data: Data(left.utf8)) == SHA256.hash(data: Data(right.utf8))
}
