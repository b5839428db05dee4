/// The reverse-DNS id of an application, which is also the bus name that the application owns while it is running.
///
/// An id has at least two elements of `[A-Za-z0-9_-]`, separated by dots. No element starts with a digit. This is the
/// grammar of “Bus names” in the D-Bus specification, which is stricter than that of DNS.
public struct ApplicationID: Sendable, Hashable, Comparable, CheckedName {
    /// The maximum length of a bus name in bytes; D-Bus specification, “Valid Names”.
    public static let maximumBytes = 255

    /// The id as it was written. It is case-sensitive.
    public let text: String
    /// The hash of the text, stored because ids are looked up often.
    private let hash: Int

    /// Checks a string against the grammar of well-known bus names.
    /// - Throws: `invalidName`.
    public init(_ text: String) throws(IPCError) {
        if !Self.isValid(text), let complaint = Self.complaint(about: text) {
            throw IPCError(.invalidName, "the application id \(complaint) (D-Bus specification, “Bus names”)")
        }
        self.init(trusted: text)
    }

    private init(trusted text: String) { (self.text, hash) = (text, text.hashValue) }

    public static func == (left: ApplicationID, right: ApplicationID) -> Bool {
        left.hash == right.hash && left.text == right.text
    }

    public static func < (left: ApplicationID, right: ApplicationID) -> Bool { left.text < right.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// The object path at which the application receives calls: `/`, followed by the id with `/` for each dot and `_`
    /// for each `-` (Desktop Entry Specification, “D-Bus Activation”). `demo.IPC-Server` gives `/demo/IPC_Server`.
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

    // MARK: Grammar

    static func isValid(_ text: String) -> Bool {
        var (elements, length) = (1, 0)
        for byte in text.utf8 {
            if byte == 0x2E {
                guard length > 0 else { return false }
                (elements, length) = (elements + 1, 0)
                continue
            }
            guard isAllowed(byte), length > 0 || !byte.isASCIIDigit else { return false }
            length += 1
        }
        return elements > 1 && length > 0 && text.utf8.count <= maximumBytes
    }

    /// What is wrong with a string, for a message that starts with "the application id"; `nil` if it is valid.
    private static func complaint(about text: String) -> String? {
        guard !text.isEmpty else { return "is empty; write one like “demo.IPCServer”" }
        let name = text.quoted
        guard text.utf8.count <= maximumBytes else {
            return "\(name) has \(text.utf8.count) bytes; at most \(maximumBytes) are allowed"
        }
        guard text.utf8.first != 0x3A else {
            return "\(name) is a unique bus name; it must be a name like “demo.IPCServer”"
        }
        let elements = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        for element in elements {
            guard let first = element.first else {
                return "\(name) has an empty element; write dots only between elements"
            }
            if let scalar = element.first(where: { !$0.isASCII || !isAllowed(UInt8(ascii: $0)) }) {
                return "\(name) contains \(scalar.named); only letters, digits, “_”, “-” and “.” are allowed"
            }
            if UInt8(ascii: first).isASCIIDigit {
                return "\(name) has the element \(String(element).quoted), which starts with a digit"
            }
        }
        return elements.count < 2 ? "\(name) has one element; at least two are needed, as in “demo.IPCServer”" : nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || byte == 0x5F || byte == 0x2D }

    // MARK: Commands

    private static let commandPrefix = "org.swiftipc.handle."

    /// Whether the id belongs to the commands of `ipc-client handle`.
    package var isOfCommand: Bool { text.hasPrefix(Self.commandPrefix) }

    /// The id of the command that handles a scheme (`ipc-client handle`). Different schemes have different ids, and
    /// different file names in a desktop's folders: a character that one of these cannot carry becomes `_` and its two
    /// hexadecimal digits.
    /// - Throws: `invalidName` if the scheme is too long.
    package init(commandFor scheme: URLScheme) throws(IPCError) {
        let bytes = Array(scheme.canonical.utf8)
        var text = Array(Self.commandPrefix.utf8)
        for (index, byte) in bytes.enumerated() {
            // An element starts with a letter, so a dot stays only before one.
            let beginsElement = byte == 0x2E && index + 1 < bytes.count && bytes[index + 1].isASCIILetter
            text += byte.isASCIIAlphanumeric || beginsElement ? [byte] : [0x5F] + byte.hexadecimal
        }
        try self.init(String(decoding: text, as: UTF8.self))
    }

    // MARK: Desktop entries

    /// Creates an id for a desktop application that has only a desktop file ID, such as `org.mozilla.firefox.desktop`.
    /// The id is for display and is not a bus name. Characters that the grammar does not allow become `_`.
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
        let id = String(decoding: text, as: UTF8.self)
        self.init(trusted: [id, id + Self.desktopSuffix].first(where: Self.isValid) ?? "some" + Self.desktopSuffix)
    }

    private static let desktopSuffix = ".desktop"
}
