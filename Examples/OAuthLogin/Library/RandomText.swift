import Foundation

/// Unguessable random text in the base64url alphabet.
enum RandomText {
    /// Returns 32 bytes of the system's random source: 256 bits, as RFC 7636 §7.1 recommends.
    static func make() -> String {
        var source = SystemRandomNumberGenerator()
        return base64URL((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &source) })
    }

    /// Encodes bytes as base64url without padding; RFC 4648 §5.
    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
