/// Bounds on the content of a message, checked against its lengths before any value is decoded: a value of a few bytes on
/// the wire may take dozens in memory.
package struct WireBounds: Sendable {
    /// Numbers by the names of limits.
    private let limits: [String: UInt64]
    /// The elements of an array of texts, those of arrays inside included, and the name of their limit.
    let texts: UInt64
    let textsLimit: String

    package init(limits: [String: UInt64], texts: UInt64, named textsLimit: String) {
        (self.limits, self.texts, self.textsLimit) = (limits, texts, textsLimit)
    }

    package subscript(limit: String) -> UInt64? { limits[limit] }
}

extension MessageReader {
    /// Whether more bytes follow, so that a closer look may be worth its cost.
    package func hasMoreBytes(than count: Int) -> Bool { bytesLeft > count }

    /// The bytes of the value that stands next, with the padding before it.
    package var nextLength: Int {
        get throws(MessageError) {
            var probe = self
            try probe.measure()
            return probe.position - position
        }
    }

    /// Passes over the next value by its lengths. What an array holds is not looked at, so this costs next to nothing.
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

    /// Checks the bytes of the value that stands next.
    /// - Parameter slack: bytes beside the limit that are let pass, where the limit counts less than the wire has.
    package func checkNextBytes(_ limit: String, slack: Int) throws(MessageError) {
        guard let allowed = bounds?[limit], UInt64(bytesLeft) > allowed else { return }
        let length = try nextLength
        guard length > slack, case let bytes = UInt64(length - slack), bytes > allowed else { return }
        throw .beyondLimit(limit, asked: bytes, allowed: allowed)
    }

    /// Checks how many elements the next array has, those of arrays inside included.
    /// - Parameter levels: 2 for an array of arrays.
    package func checkNextElements(_ limit: String, _ allowed: UInt64, levels: Int = 1) throws(MessageError) {
        // Each has at least a length.
        guard UInt64(bytesLeft) / 4 > allowed else { return }
        var probe = self
        guard try probe.countElements(levels, atMost: allowed) > allowed else { return }
        throw .beyondLimit(limit, asked: allowed + 1, allowed: allowed)
    }

    /// Counts elements up to one above the limit. A reader that stops there is of no use afterwards.
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
