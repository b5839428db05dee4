/// An invalid name, and the rule that it breaks (D-Bus specification, "Valid names").
public struct NameError: Error, Equatable, CustomStringConvertible {
    public let description: String
}

/// A name defined by the D-Bus specification. The initializer checks its grammar.
public protocol DBusName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral
where StringLiteralType == StaticString {
    var text: String { get }

    /// - Throws: ``NameError``, which states the broken rule.
    init(_ text: String) throws(NameError)
}

extension DBusName {
    /// For names in source code; an invalid one is a programming error.
    public init(stringLiteral text: StaticString) {
        do { try self.init("\(text)") } catch { preconditionFailure(error.description) }
    }

    public var description: String { text }
}

/// The grammar of D-Bus names. A bus disconnects a program that sends an invalid name.
enum NameGrammar {
    static let longest = 255

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
            || byte == UInt8(ascii: "_")
    }

    /// Checks a dotted name of at least `elements` elements.
    static func check(
        _ text: String, body: some Collection<UInt8>, kind: String, elements: Int = 2, dash: Bool = false,
        leadingDigit: Bool = false
    ) throws(NameError) {
        guard text.utf8.count <= longest else {
            throw NameError(description: "the \(kind) has \(text.utf8.count) bytes; at most \(longest) are allowed")
        }
        var count = 1
        var atStart = true
        for byte in body {
            if byte == UInt8(ascii: ".") {
                guard !atStart else { throw NameError(description: "the \(kind) “\(text)” has an empty element") }
                count += 1
                atStart = true
                continue
            }
            guard isWordByte(byte) || (dash && byte == UInt8(ascii: "-")) else {
                throw NameError(
                    description: "the \(kind) “\(text)” has a character outside [A-Za-z0-9_\(dash ? "-" : "")]")
            }
            guard !atStart || leadingDigit || !isDigit(byte) else {
                throw NameError(description: "an element of the \(kind) “\(text)” begins with a digit")
            }
            atStart = false
        }
        guard !atStart else { throw NameError(description: "the \(kind) “\(text)” has an empty element") }
        guard count >= elements else {
            throw NameError(description: "the \(kind) “\(text)” has fewer than \(elements) elements")
        }
    }
}

extension String {
    /// The string, shortened for an error message, because a caller may choose a name of any length.
    var quotable: String { shortened(to: 200) }

    /// Shortens the string to `most` bytes. Removes its middle, because an error message ends with the reason.
    func shortened(to most: Int) -> String {
        guard utf8.count > most else { return self }
        let part = (most - 3) / 2
        return String(decoding: utf8.prefix(part), as: UTF8.self).droppingLastRepair + "…"
            + String(decoding: utf8.suffix(part), as: UTF8.self).droppingFirstRepair
    }

    /// The string with U+FFFD in place of each NUL character, which a D-Bus string cannot carry.
    var withoutNUL: String { utf8.contains(0) ? String(map { $0 == "\0" ? "\u{FFFD}" : $0 }) : self }

    // Cutting in the middle of a character leaves up to three replacement characters.
    private var droppingLastRepair: Substring {
        let last = lastIndex { $0 != "\u{FFFD}" }
        return self[..<(last.map { index(after: $0) } ?? startIndex)]
    }
    private var droppingFirstRepair: Substring { drop { $0 == "\u{FFFD}" } }
}
