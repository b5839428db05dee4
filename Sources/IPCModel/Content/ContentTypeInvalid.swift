extension ContentType {
    /// The reason why a string is not a content type.
    public enum Invalid: Error, Hashable, CustomStringConvertible {
        /// The string is empty.
        case empty
        /// The string has more than ``ContentType/maximumBytes`` bytes.
        case tooLong(String)
        /// The string contains a character that is not printable ASCII.
        case character(String, Unicode.Scalar)
        /// The string does not start with a type.
        case noType(String)
        /// No subtype follows the slash.
        case noSubtype(String)
        /// The string is a range of types, such as `image/*`, and not a single type.
        case range(String)
        /// The byte at this position, counted from 1, is unexpected. The last string says what was expected.
        case unexpected(String, byte: Int, String)
        /// A quotation mark is not closed.
        case openQuotation(String)
        /// A parameter occurs twice.
        case parameterTwice(String, String)

        public var description: String {
            switch self {
            case .empty:
                "the content type is empty; write one like “text/plain”"
            case .tooLong(let text):
                "the content type \(text.quoted) has \(text.utf8.count) bytes; "
                    + "at most \(ContentType.maximumBytes) are allowed"
            case .character(let text, let scalar):
                "the content type \(text.quoted) contains \(scalar.named); RFC 2045 §5.1 allows only printable ASCII"
            case .noType(let text):
                "the content type \(text.quoted) does not start with a type, as in “text/plain” (RFC 2045 §5.1)"
            case .noSubtype(let text):
                "the content type \(text.quoted) has no subtype after the slash; “text/plain” has one (RFC 2045 §5.1)"
            case .range(let text):
                "the content type \(text.quoted) is a range of types; name one type, without “*”"
            case .unexpected(let text, let byte, let rule):
                "the content type \(text.quoted) is wrong at byte \(byte): \(rule) (RFC 2045 §5.1)"
            case .openQuotation(let text):
                "the content type \(text.quoted) has a quotation mark that is not closed (RFC 2045 §5.1)"
            case .parameterTwice(let text, let name):
                "the content type \(text.quoted) has the parameter \(name.quoted) twice (RFC 6838 §4.3)"
            }
        }
    }
}

extension ContentType.Invalid: Condition {
    package var ipcError: IPCError { IPCError(.invalidArguments, description) }
}
