/// A name that breaks its grammar in the D-Bus specification, "Valid names".
public struct NameError: Error, Equatable, CustomStringConvertible {
    public let description: String
}

/// The one place that knows how D-Bus names are spelled. A bus ends the connection of whoever sends another one.
enum NameGrammar {
    static let longest = 255

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
            || byte == UInt8(ascii: "_")
    }

    /// Checks a dotted name of at least `elements` elements.
    static func check(
        _ text: String, body: some Collection<UInt8>, kind: String, elements: Int, dash: Bool, leadingDigit: Bool
    ) throws(NameError) {
        guard text.utf8.count <= longest else {
            throw NameError(description: "a \(kind) has at most \(longest) bytes, this one has \(text.utf8.count)")
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
