/// The way of the values of a version in one message.
package struct MessageFit: Sendable, Hashable {
    /// The indexes of the values that are passed as descriptors to a receiver that takes them, in ascending order.
    package let descriptors: [Int]
    /// The bytes of all other values.
    package let inlineBytes: UInt64
}

extension Limits {
    /// Assigns values of these sizes, in bytes, to descriptors or to the message: those above `inline-value-bytes` become
    /// descriptors, at most the largest `descriptors-per-message` of them, and all others are inline.
    /// - Parameters:
    ///   - present: the count of values, from the first one on, that count as use and not as request in an error.
    ///   - prefersInline: use no descriptor if everything fits without.
    /// - Throws: `LimitExceeded` if one value is larger than `value-bytes`, or if the inline values together are larger
    ///   than `inline-message-bytes`. It names `descriptors-per-message` if more descriptors would help.
    package func messageFit(
        _ sizes: [UInt64], present: Int = 0, prefersInline: Bool = false
    ) throws(LimitExceeded) -> MessageFit {
        for size in sizes where size > valueBytes { try check(\.valueBytes, request: size) }
        let all = sizes.reduce(UInt64(0)) { $0.addingClamped($1) }
        if prefersInline, all <= inlineMessageBytes { return MessageFit(descriptors: [], inlineBytes: all) }
        var large = sizes.indices.filter { sizes[$0] > inlineValueBytes }
        let (count, limit) = (large.count, Int(clamping: descriptorsPerMessage))
        if count > limit {
            large.sort { (sizes[$0], $1) > (sizes[$1], $0) }
            large = large.prefix(limit).sorted()
        }
        var inline = all
        for index in large { inline -= min(inline, sizes[index]) }
        if inline > inlineMessageBytes {
            let use = UInt64(sizes.prefix(present).count { $0 > inlineValueBytes })
            try check(\.descriptorsPerMessage, use: use, request: UInt64(count) - use)
            let bytes = min(inline, sizes.prefix(present).filter { $0 <= inlineValueBytes }.reduce(0, +))
            try check(\.inlineMessageBytes, use: bytes, request: inline - bytes)
        }
        return MessageFit(descriptors: large, inlineBytes: inline)
    }
}

extension UInt64 {
    /// The sum, or the greatest number if it overflows.
    package func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
