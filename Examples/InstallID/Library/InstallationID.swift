import Foundation

/// The id of one installation: 122 random bits, written as a UUID in lower case (RFC 9562, version 4).
package struct InstallationID: Sendable, Hashable, CustomStringConvertible {
    /// Thirty-six characters, such as `6f1c2b9e-3d0a-4c56-9a41-0f6d8f5e7b21`.
    package let text: String

    /// Reads an id from its text; `nil` if the text is not an id.
    package init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.text = uuid.uuidString.lowercased()
    }

    /// Creates an id from the system's random numbers.
    package static func random() -> InstallationID { InstallationID(UUID()) }

    private init(_ uuid: UUID) { text = uuid.uuidString.lowercased() }

    package var description: String { text }
}
