internal import Glibc
private import IPCModel

/// Standard output or standard error, unbuffered.
package enum OutputStream: Int32, Sendable {
    case output = 1
    case error = 2

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Whether the stream is a terminal that understands escape sequences.
    var takesEscapes: Bool { isTerminal && getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false }

    /// The terminal's current width; nil if the stream is not a terminal, or the terminal does not report it.
    package var columns: Int? {
        var size = winsize()
        // See TIOCGWINSZ in ioctl_tty(2).
        guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// - Throws: ``ToolFailure`` with exit code 74; it has no message if the reader closed the output.
    package func write(_ text: String) throws(ToolFailure) {
        try writeAll(Array(text.utf8), to: rawValue, named: "the output")
    }

    package func writeLine(_ text: String) throws(ToolFailure) { try write(text + "\n") }
}

/// Writes all bytes to a descriptor, which may be non-blocking.
/// - Throws: ``ToolFailure`` with exit code 74; it has no message if the reader closed the output.
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

/// Waits with `poll(2)` until a descriptor is ready for an event, such as `POLLIN`.
func wait(for descriptor: CInt, _ event: CInt) {
    var ready = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    _ = poll(&ready, 1, -1)
}

extension ToolFailure {
    /// The failure to write to an output that is full, broken or closed.
    static func cannotWrite(_ output: String, _ code: Int32) -> ToolFailure {
        // Like other programs in a pipeline, the tool prints no error if the reader closed the pipe.
        if code == EPIPE { return .outputClosed }
        let isFull = code == ENOSPC || code == EDQUOT
        return ToolFailure(
            name: isFull ? "NoSpace" : "InputOutput",
            message: "cannot write to \(output): \(describe(code))" + (isFull ? "; free space and try again" : ""),
            exit: .inputOutput)
    }

    package static let outputClosed = ToolFailure(name: "InputOutput", message: "", exit: .inputOutput)
}

func describe(_ code: Int32) -> String { String(cString: strerror(code)) }
