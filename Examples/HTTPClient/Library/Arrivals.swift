/// The part of a response that has arrived.
final class Arrivals {
    private let mostBytes: Int
    /// The status line of the response, or of an interim response before it.
    private var statusLine: (status: Int, reasonPhrase: String) = (0, "")
    private var isHeaderComplete = false

    /// The bytes of the body.
    private(set) var body: [UInt8] = []
    /// Whether the body is longer than permitted. The part that exceeds the maximum is left out.
    private(set) var isTooLarge = false

    init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// The status and the server's words for it; `nil` until the header is complete.
    var status: (status: Int, reasonPhrase: String)? { isHeaderComplete ? statusLine : nil }

    /// Takes one line of a header (RFC 9112 §2.1). Its last line is empty.
    func take(line bytes: UnsafeRawBufferPointer) {
        // In Swift, "\r\n" is a single Character.
        let text = String(decoding: bytes, as: UTF8.self)
        let line = text.last?.isNewline == true ? text.dropLast() : text[...]
        if line.hasPrefix("HTTP/") {
            let parts = line.split(separator: " ", maxSplits: 2)
            statusLine = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0, parts.count > 2 ? String(parts[2]) : "")
        } else if line.isEmpty {
            isHeaderComplete = statusLine.status >= 200
        }
    }

    /// Takes a part of the body, and returns false if the body is too long with it.
    func take(_ part: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = part.count > mostBytes - body.count
        if !isTooLarge { body += part }
        return !isTooLarge
    }

    /// Returns the object to which a context of libcurl points.
    static func at(_ context: UnsafeMutableRawPointer?) -> Arrivals {
        guard let context else { preconditionFailure("libcurl passes the context that it was given") }
        return Unmanaged.fromOpaque(context).takeUnretainedValue()
    }
}
