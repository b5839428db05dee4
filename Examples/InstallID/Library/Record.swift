/// What stands in the file of an application: the id, or that the keyring has it.
///
/// The file is made once and never changed, so that every start follows the same rule. That the keyring has the id is written
/// too: a start without the keyring, over ssh for example, would else make a second id.
package enum Record: Sendable, Hashable {
    case file(InstallationID)
    case keyring

    /// The whole content of the file.
    package var text: String {
        switch self {
        case .file(let id): "\(id)\n"
        case .keyring: "keyring\n"
        }
    }

    /// `nil` where the text is not what ``text`` has written.
    package init?(_ text: String) {
        if text == Record.keyring.text {
            self = .keyring
        } else if let id = InstallationID(String(text.dropLast())), Record.file(id).text == text {
            self = .file(id)
        } else {
            return nil
        }
    }
}
