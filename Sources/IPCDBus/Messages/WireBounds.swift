/// Limits for the content of a message. Lengths are checked before any value is decoded, because a value of a few bytes
/// on the wire may take dozens of bytes in memory.
package struct WireBounds: Sendable {
    /// The byte limits by name.
    private let limits: [String: UInt64]
    /// The maximum number of elements in an array of strings, including those of inner arrays.
    let texts: UInt64
    /// The name of the limit ``texts``, for error messages.
    let textsLimit: String

    package init(limits: [String: UInt64], texts: UInt64, named textsLimit: String) {
        (self.limits, self.texts, self.textsLimit) = (limits, texts, textsLimit)
    }

    package subscript(limit: String) -> UInt64? { limits[limit] }
}

extension MessageReader {
    /// Whether more than `count` bytes are left in the container. If not, a more expensive check is unnecessary.
    package func hasMoreBytes(than count: Int) -> Bool { bytesLeft > count }

    /// The number of bytes of the next value, including the padding before it.
    package var nextLength: Int {
        get throws(MessageError) {
            var probe = self
            try probe.measure()
            return probe.position - position
        }
    }

    /// Skips the next value by adding up its lengths. This is cheap, because the elements of arrays are not read.
    private mutating func measure() throws(MessageError) {
        switch Unicode.Scalar(typeCode) {
        case "a": try skipArrayByLength()
        case "v":
            let outer = try enterVariant()
            try measure()
            try leave(outer)
        case "(":
            let outer = try enter("(")
            while !isAtEnd { try measure() }
            try leave(outer)
        default: try skip()
        }
    }

    /// Checks that the next value is within the byte limit with the name `limit`.
    /// - Parameter slack: the number of bytes on the wire that do not count towards the limit.
    package func checkNextBytes(_ limit: String, slack: Int) throws(MessageError) {
        guard let allowed = bounds?[limit], UInt64(bytesLeft) > allowed else { return }
        let length = try nextLength
        guard length > slack, case let bytes = UInt64(length - slack), bytes > allowed else { return }
        throw .beyondLimit(limit, asked: bytes, allowed: allowed)
    }

    /// Checks the number of elements in the next array, including the elements of inner arrays.
    /// - Parameter levels: 2 for an array of arrays.
    package func checkNextElements(_ limit: String, _ allowed: UInt64, levels: Int = 1) throws(MessageError) {
        // Each element takes at least the four bytes of its length.
        guard UInt64(bytesLeft) / 4 > allowed else { return }
        var probe = self
        guard try probe.countElements(levels, atMost: allowed) > allowed else { return }
        throw .beyondLimit(limit, asked: allowed + 1, allowed: allowed)
    }

    /// Counts the elements of the next array. Stops once the count exceeds the limit, and the reader is then unusable.
    private mutating func countElements(_ levels: Int, atMost most: UInt64) throws(MessageError) -> UInt64 {
        let outer = try enterArray()
        var count: UInt64 = 0
        while !isAtEnd {
            count += 1
            if levels > 1 {
                count += try countElements(levels - 1, atMost: most - min(count, most))
            } else {
                try measure()
            }
            if count > most { return count }
        }
        try leave(outer)
        return count
    }
}

extension String {
    public static func readArray(from reader: inout MessageReader) throws(MessageError) -> [String] {
        if let bounds = reader.bounds { try reader.checkNextElements(bounds.textsLimit, bounds.texts) }
        return try reader.array { (element) throws(MessageError) in try String(from: &element) }
    }
}

extension Array where Element: DBusCodable {
    public static func readArray(from reader: inout MessageReader) throws(MessageError) -> [[Element]] {
        if Element.self == String.self, let bounds = reader.bounds {
            try reader.checkNextElements(bounds.textsLimit, bounds.texts, levels: 2)
        }
        return try reader.array { (element) throws(MessageError) in try [Element](from: &element) }
    }
}
