package import Foundation

/// The content of an application's file: the id, or a note that the keyring has it.
///
/// The file is created once and never changed, so every start looks for the id in the same place. Without the note, a
/// start that has no access to the keyring, such as over ssh, would create a second id.
package enum Record: Sendable, Hashable {
    case file(UUID)
    case keyring

    /// The whole content of the file.
    package var text: String {
        switch self {
        case .file(let id): "\(id.text)\n"
        case .keyring: "keyring\n"
        }
    }

    /// Reads the content of a file; `nil` if it is not in the form of ``text``.
    package init?(_ text: String) {
        if text == Record.keyring.text {
            self = .keyring
        } else if let id = UUID(uuidString: String(text.dropLast())), Record.file(id).text == text {
            self = .file(id)
        } else {
            return nil
        }
    }
}

extension UUID {
    /// An id as the example stores and prints it: in lower case, as RFC 9562 recommends.
    package var text: String { uuidString.lowercased() }
}
