internal import Glibc
private import IPCModel

/// One of the two streams that a program writes to, without a buffer: what was written is out.
package enum OutputStream: Int32, Sendable {
    case output = 1
    case error = 2

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The columns of the terminal now; nil where it is none, or one that does not say.
    package var columns: Int? {
        var size = winsize()
        // The corresponding request is TIOCGWINSZ, ioctl_tty(2).
        guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes all bytes.
    /// - Throws: ``ToolFailure`` with exit code 74; a silent one if nobody reads any more.
    package func write(_ bytes: [UInt8]) throws(ToolFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
                _ = poll(&ready, 1, -1)
            } else if errno != EINTR {
                throw .cannotWrite("the output", errno)
            }
        }
    }

    package func write(_ text: String) throws(ToolFailure) { try write(Array(text.utf8)) }

    /// Writes one line.
    package func writeLine(_ text: String) throws(ToolFailure) { try write(text + "\n") }

    /// Writes content byte for byte. On a terminal a newline follows where the content ends without one, so that the
    /// prompt starts on a line of its own.
    package func writeContent(_ bytes: [UInt8]) throws(ToolFailure) {
        try write(bytes)
        if isTerminal, let last = bytes.last, last != UInt8(ascii: "\n") { try write("\n") }
    }
}

extension ToolFailure {
    /// An output is full, broken or closed.
    static func cannotWrite(_ output: String, _ code: Int32) -> ToolFailure {
        // As in other programs at the head of a pipeline: nobody is left to tell.
        if code == EPIPE { return .outputClosed }
        let isFull = code == ENOSPC || code == EDQUOT
        return ToolFailure(
            name: isFull ? "NoSpace" : "InputOutput",
            message: "cannot write to \(output): \(describe(code))" + (isFull ? "; make room and try again" : ""),
            exit: .inputOutput)
    }

    /// Nobody reads what is written.
    package static let outputClosed = ToolFailure(name: "InputOutput", message: "", exit: .inputOutput)
}

/// The system's words for an error number.
func describe(_ code: Int32) -> String { String(cString: strerror(code)) }
