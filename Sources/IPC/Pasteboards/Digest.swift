/// The check that a value is what was written; it finds damage, not forgery.
enum Digest {
    /// - Throws: `inputOutput` if the value has another digest; one of an unknown kind is not looked at.
    static func check(_ value: Representation.Value, against digest: String) throws(IPCError) {
        guard digest.hasPrefix(ContentDigest.prefix) else { return }
        let actual = try of(value)
        guard actual == digest else {
            throw IPCError(
                .inputOutput,
                "a value of \(value.byteCount) bytes is damaged: it has the digest \(actual) and was written with \(digest)"
            )
        }
    }

    /// `xxh128:` and 32 lower-case hexadecimal digits.
    static func of(_ value: Representation.Value) throws(IPCError) -> String {
        do { return try ContentDigest(of: value).description } catch let error as IPCError { throw error } catch {
            throw IPCError(.inputOutput, "\(error)")
        }
    }

    /// Checks every value; `digests` has the shape of the items.
    static func check(_ items: [PasteboardItem], against digests: [[String]]) throws(IPCError) {
        guard items.map(\.representations.count) == digests.map(\.count) else {
            throw IPCError(.inputOutput, "the digests of the pasteboard's values do not fit its items")
        }
        for (item, row) in zip(items, digests) {
            for (representation, digest) in zip(item.representations, row) {
                try check(representation.value, against: digest)
            }
        }
    }
}
