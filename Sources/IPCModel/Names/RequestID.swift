/// The id of an open request or of a call that may be repeated, chosen by its sender.
///
/// Who knows it may ask, wait and cancel, so it is to be random.
package struct RequestID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The fewest and the most characters.
    package static let length = 16...64

    /// The id as it was written; case matters.
    package let text: String

    /// Checks that a text is 16 to 64 of `[A-Za-z0-9-]`.
    package init(_ text: String) throws(Invalid) {
        if let scalar = text.unicodeScalars.first(where: { !Self.isAllowed($0) }) { throw .character(text, scalar) }
        guard Self.length.contains(text.utf8.count) else { throw .length(text) }
        self.text = text
    }

    private init(checked text: String) {
        self.text = text
    }

    package var description: String { text }

    package static func < (left: RequestID, right: RequestID) -> Bool { left.text < right.text }

    /// A fresh id: a UUID of version 4 (RFC 9562 §5.4), 122 random bits from the system's generator.
    package static func random() -> RequestID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A fresh id from a given generator.
    package static func random(using generator: inout some RandomNumberGenerator) -> RequestID {
        // Two calls of the system rather than sixteen.
        let (high, low) = (generator.next() as UInt64, generator.next() as UInt64)
        var bytes = [high, low].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(0x2D) }
            text += byte.hexadecimal
        }
        return RequestID(checked: String(decoding: text, as: UTF8.self))
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar.isASCII && UInt8(ascii: scalar).isASCIIAlphanumeric
    }
}

extension RequestID {
    /// Why a text is not an id.
    package enum Invalid: Condition, Hashable {
        /// The text is shorter or longer than ``RequestID/length``.
        case length(String)
        /// The text holds a character that no id may hold.
        case character(String, Unicode.Scalar)

        package var ipcError: IPCError { IPCError(.invalidArguments, sentence) }

        private var sentence: String {
            switch self {
            case .length(let text):
                "the id \(text.quoted) has \(text.utf8.count) character\(text.utf8.count == 1 ? "" : "s"); it needs "
                    + "\(RequestID.length.lowerBound) to \(RequestID.length.upperBound), a random UUID fits"
            case .character(let text, let scalar):
                "the id \(text.quoted) holds \(scalar.named); only letters, digits and “-” are allowed"
            }
        }
    }
}
