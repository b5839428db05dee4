/// The reverse-DNS id of an application, which is also the well-known bus name that it owns while it runs.
///
/// The grammar is “Bus names” of the D-Bus specification, which is narrower than that of DNS.
package struct ApplicationID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The most bytes of a bus name; D-Bus specification, “Valid Names”.
    package static let maximumBytes = 255

    /// The id as it was written; case matters.
    package let text: String
    /// Of the text: an id is looked up many times.
    private let hash: Int

    /// Checks a text against the grammar of well-known bus names.
    package init(_ text: String) throws(Invalid) {
        // Nearly all are right; only then is looked for what is wrong.
        if !Self.isRight(text), let reason = Self.violation(in: text) { throw reason }
        (self.text, hash) = (text, text.hashValue)
    }

    /// Stands for a program of the desktop that is known by its desktop entry: `org.mozilla.firefox.desktop`. What the
    /// grammar of bus names does not allow becomes `_`, so it is for people, and no bus name.
    /// - Parameter entry: the desktop file ID (Desktop Entry Specification).
    package init(desktopEntry entry: String) {
        var text: [UInt8] = []
        for byte in entry.utf8.prefix(Self.maximumBytes - Self.desktopSuffix.utf8.count) {
            let isFirst = text.last == nil || text.last == 0x2E
            if byte == 0x2E {
                if !isFirst { text.append(byte) }
                continue
            }
            if byte.isASCIIDigit && isFirst { text.append(0x5F) }
            text.append(byte.isASCIIAlphanumeric || byte == 0x2D ? byte : 0x5F)
        }
        let made = String(decoding: text, as: UTF8.self)
        self = (try? ApplicationID(made)) ?? (try? ApplicationID(made + Self.desktopSuffix)) ?? .someDesktopEntry
    }

    private static let desktopSuffix = ".desktop"
    private static let someDesktopEntry = ApplicationID(trusted: "some.desktop")

    private init(trusted text: String) { (self.text, hash) = (text, text.hashValue) }

    package static func == (left: ApplicationID, right: ApplicationID) -> Bool {
        left.hash == right.hash && left.text == right.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    package var description: String { text }

    /// The object on which the application takes calls: `demo.IPC-Server` gives `/demo/IPC_Server`.
    ///
    /// Desktop Entry Specification, “D-Bus Activation”: a slash before it, a slash for each dot, `_` for `-`.
    package var objectPath: String {
        let path = text.utf8.map { byte -> UInt8 in
            switch byte {
            case 0x2E: 0x2F
            case 0x2D: 0x5F
            default: byte
            }
        }
        return "/" + String(decoding: path, as: UTF8.self)
    }

    package static func < (left: ApplicationID, right: ApplicationID) -> Bool { left.text < right.text }

    /// Whether the bytes follow the grammar.
    private static func isRight(_ text: String) -> Bool {
        var (elements, length) = (1, 0)
        for byte in text.utf8 {
            if byte == 0x2E {
                guard length > 0 else { return false }
                (elements, length) = (elements + 1, 0)
                continue
            }
            guard byte.isASCIILetter || byte == 0x5F || byte == 0x2D || length > 0 && byte.isASCIIDigit else {
                return false
            }
            length += 1
        }
        return elements > 1 && length > 0 && text.utf8.count <= maximumBytes
    }

    private static func violation(in text: String) -> Invalid? {
        guard !text.isEmpty else { return .empty }
        guard text.utf8.count <= maximumBytes else { return .tooLong(text) }
        guard text.utf8.first != 0x3A else { return .uniqueName(text) }
        let elements = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        for element in elements {
            guard let first = element.first else { return .emptyElement(text) }
            if let scalar = element.first(where: { !isAllowed($0) }) { return .character(text, scalar) }
            if UInt8(ascii: first).isASCIIDigit { return .digitFirst(text, element: String(element)) }
        }
        return elements.count < 2 ? .oneElement(text) : nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "-" || scalar.isASCII && UInt8(ascii: scalar).isASCIIAlphanumeric
    }
}

extension ApplicationID {
    /// Why a text is not an application id.
    package enum Invalid: Condition, Hashable {
        /// The text is empty.
        case empty
        /// The text has more than ``ApplicationID/maximumBytes`` bytes.
        case tooLong(String)
        /// The text starts with a colon: a unique name, which the bus gives out and nobody chooses.
        case uniqueName(String)
        /// Two dots stand side by side, or one at an end.
        case emptyElement(String)
        /// The text holds a character that no bus name may hold.
        case character(String, Unicode.Scalar)
        /// An element starts with a digit, which only unique names may.
        case digitFirst(String, element: String)
        /// The text has no dot.
        case oneElement(String)

        package var ipcError: IPCError {
            IPCError(.invalidName, "the application id \(subject)\(complaint) (D-Bus specification, “Bus names”)")
        }

        private var subject: String {
            switch self {
            case .empty: "is empty"
            case .tooLong(let text), .uniqueName(let text), .emptyElement(let text), .character(let text, _),
                .digitFirst(let text, _), .oneElement(let text):
                text.quoted
            }
        }

        private var complaint: String {
            switch self {
            case .empty: "; it looks like “demo.IPCServer”"
            case .tooLong(let text): " has \(text.utf8.count) bytes; at most \(ApplicationID.maximumBytes) are allowed"
            case .uniqueName: " is a unique bus name; it has to be a name like “demo.IPCServer”"
            case .emptyElement: " has an empty element; dots stand between elements only"
            case .character(_, let scalar): " holds \(scalar.named); only letters, digits, “_”, “-” and “.” are allowed"
            case .digitFirst(_, let element): " has the element \(element.quoted), which starts with a digit"
            case .oneElement: " has one element; at least two are needed, as in “demo.IPCServer”"
            }
        }
    }
}
