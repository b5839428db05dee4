/// How the values of a version travel in one message.
package struct MessageFit: Sendable, Hashable {
    /// The places of the values that go as descriptors to who takes them, in ascending order.
    package let descriptors: [Int]
    /// The bytes of all other values.
    package let inlineBytes: UInt64
}

extension Limits {
    /// How values of these sizes, in bytes, travel to a receiver who takes descriptors: those above
    /// `inline-value-bytes` as descriptors, the largest `descriptors-per-message` of them at most, all others inline.
    /// - Throws: `LimitExceeded` where one value is larger than `value-bytes`, or the others together are larger than
    ///   `inline-message-bytes`: then no message can carry them. It names `descriptors-per-message` where with more
    ///   descriptors they would fit better.
    /// - Parameters:
    ///   - present: how many of the values, the first ones, are there already, for the error.
    ///   - prefersInline: pass no descriptor where everything fits without.
    package func messageFit(
        _ sizes: [UInt64], present: Int = 0, prefersInline: Bool = false
    ) throws(LimitExceeded) -> MessageFit {
        for size in sizes where size > valueBytes { try check(\.valueBytes, request: size) }
        let all = sizes.reduce(UInt64(0)) { $0.addingClamped($1) }
        if prefersInline, all <= inlineMessageBytes { return MessageFit(descriptors: [], inlineBytes: all) }
        var large = sizes.indices.filter { sizes[$0] > inlineValueBytes }
        let most = Int(clamping: descriptorsPerMessage)
        let count = large.count
        if count > most {
            large.sort { (sizes[$0], $1) > (sizes[$1], $0) }
            large = large.prefix(most).sorted()
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
    /// The sum, or the greatest number where it is beyond that.
    package func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
