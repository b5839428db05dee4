/// How the values of a version are passed in one message.
package struct MessageFit: Sendable, Hashable {
    /// The indexes of the values to pass as descriptors, if the receiver accepts descriptors, in ascending order.
    package let descriptors: [Int]
    /// The total size of all other values, in bytes.
    package let inlineBytes: UInt64
}

extension Limits {
    /// Decides, by their sizes in bytes, which values are passed as descriptors: those above `inline-value-bytes` or,
    /// if there are more than `descriptors-per-message`, only the largest ones. All others are inline.
    /// - Parameters:
    ///   - present: how many of the first values are already stored. An error reports them as in use.
    ///   - prefersInline: whether to use no descriptors if everything fits inline.
    /// - Throws: `LimitExceeded` if a value is larger than `value-bytes`, or if the inline values together are larger
    ///   than `inline-message-bytes`. The error names `descriptors-per-message` if more descriptors would help.
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
    package func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
