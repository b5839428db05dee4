internal import Glibc
package import IPC

/// Checks whether bytes that arrive in parts are text: UTF-8 without U+0000.
package struct TextCheck {
    private var isText = true
    /// The first bytes, at most three, of a character that continues in the next part.
    private var open: [UInt8] = []

    /// - Returns: false once the bytes are known not to be text, so that the caller need not add further parts.
    mutating func add(_ part: UnsafeRawBufferPointer) -> Bool {
        guard isText else { return false }
        let bytes = open + part
        open = []
        isText = !bytes.contains(0)
        do throws(Unicode.UTF8.ValidationError) { _ = try UTF8Span(validating: bytes.span) } catch {
            if error.kind == .truncatedScalar, error.byteOffsets.upperBound == bytes.count {
                open = Array(bytes[error.byteOffsets.lowerBound...])
            } else {
                isText = false
            }
        }
        return isText
    }

    /// Whether all bytes are text if no further part follows.
    var isComplete: Bool { isText && open.isEmpty }

    package static func isText(_ file: ContentFile) -> Bool {
        var check = TextCheck()
        return parts(of: file) { check.add($0) } && check.isComplete
    }

    /// Passes a file to a check in parts. Reads the file instead of mapping it, because another process may shorten it
    /// in the meantime.
    /// - Parameter check: receives each part, and returns false if it needs no further part.
    /// - Returns: whether the check received the whole file.
    static func parts(of file: ContentFile, _ check: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { block.deallocate() }
        var bar = ProgressBar("checking", total: UInt64(file.byteCount))
        defer { bar.finish() }
        var place = 0
        while place < file.byteCount {
            let count = pread(
                file.descriptor, block.baseAddress, min(block.count, file.byteCount - place), off_t(place))
            if count < 0 && errno == EINTR { continue }
            guard count > 0, check(UnsafeRawBufferPointer(rebasing: block[..<count])) else { return false }
            place += count
            bar.update(to: UInt64(place))
        }
        return true
    }
}
