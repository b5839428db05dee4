internal import Glibc
private import IPCModel

/// Standard output or standard error, without a buffer.
package enum OutputStream: Int32, Sendable {
    case output = 1
    case error = 2

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Whether the stream is a terminal that understands escape sequences.
    var takesEscapes: Bool { isTerminal && getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false }

    /// The present columns of the terminal; nil if the stream is not a terminal, or the terminal does not state them.
    package var columns: Int? {
        var size = winsize()
        // The corresponding request is TIOCGWINSZ, ioctl_tty(2).
        guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// - Throws: ``ToolFailure`` with exit code 74, without a message if the reader has ended.
    package func write(_ text: String) throws(ToolFailure) {
        try writeAll(Array(text.utf8), to: rawValue, named: "the output")
    }

    package func writeLine(_ text: String) throws(ToolFailure) { try write(text + "\n") }
}

/// Writes all bytes to a descriptor, which may be non-blocking.
/// - Throws: ``ToolFailure`` with exit code 74, without a message if the reader has ended.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, named name: String) throws(ToolFailure) {
    var rest = bytes
    while !rest.isEmpty {
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        } else if errno == EAGAIN {
            wait(for: descriptor, POLLOUT)
        } else if errno != EINTR {
            throw .cannotWrite(name, errno)
        }
    }
}

func writeAll(_ bytes: [UInt8], to descriptor: CInt, named name: String) throws(ToolFailure) {
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(ToolFailure) in
        try writeAll(bytes, to: descriptor, named: name)
    }
}

/// Waits until a descriptor is ready. The corresponding C function is `poll`.
func wait(for descriptor: CInt, _ event: CInt) {
    var ready = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    _ = poll(&ready, 1, -1)
}

extension ToolFailure {
    /// An output is full, broken or closed.
    static func cannotWrite(_ output: String, _ code: Int32) -> ToolFailure {
        // Like other programs at the head of a pipeline, the tool then prints nothing.
        if code == EPIPE { return .outputClosed }
        let isFull = code == ENOSPC || code == EDQUOT
        return ToolFailure(
            name: isFull ? "NoSpace" : "InputOutput",
            message: "cannot write to \(output): \(describe(code))" + (isFull ? "; free space and try again" : ""),
            exit: .inputOutput)
    }

    /// The reader of the output has ended.
    package static let outputClosed = ToolFailure(name: "InputOutput", message: "", exit: .inputOutput)
}

/// The system's text for an error number.
func describe(_ code: Int32) -> String { String(cString: strerror(code)) }
