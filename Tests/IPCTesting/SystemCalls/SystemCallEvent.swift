/// One system call in a trace.
package struct SystemCallEvent: Sendable {
    /// A part of the data that a call moved: bytes that the trace shows, or the number of bytes that it cut off.
    package enum Data: Sendable, Equatable {
        case bytes([UInt8])
        case missing(Int)
    }

    /// The thread that called.
    package let thread: Int32
    package let name: String
    /// The start of the call, in seconds since 1970.
    package let time: Double
    /// The start of the call in the order of the trace, comparable with `begin` and `end` of all events in the trace.
    ///
    /// The tracer stops a thread before and after a call, one thread at a time, and writes in this order. So the order
    /// is exact, whereas two times can be equal.
    package let begin: Int
    /// The end of the call in the same order; `Int.max` if the process exited during the call.
    package let end: Int
    /// The target of the first argument's descriptor: the path of a file, or `UNIX-STREAM:[…]` for a socket.
    package let path: String?
    /// The arguments as the tracer wrote them.
    package let arguments: [String]
    /// The result; `nil` if the process exited during the call.
    package let result: Int64?

    /// The data read or written, in order, with as many bytes as the result says.
    package var data: [Data] {
        var left = Int(clamping: result ?? 0)
        var data: [Data] = []
        for buffer in buffers where left > 0 {
            let count = min(buffer.length, left)
            let shown = buffer.bytes.prefix(count)
            if !shown.isEmpty { data.append(.bytes(Array(shown))) }
            if shown.count < count { data.append(.missing(count - shown.count)) }
            left -= count
        }
        if left > 0 { data.append(.missing(left)) }
        return data
    }

    /// Whether a descriptor with this name is a local stream socket.
    var isOnStreamSocket: Bool { path?.hasPrefix("UNIX-STREAM:") ?? path?.hasPrefix("UNIX:") ?? false }

    private var buffers: [(bytes: [UInt8], length: Int)] {
        switch name {
        case "write", "pwrite64", "sendto", "read", "recvfrom":
            guard arguments.count > 2 else { return [] }
            return [(TraceText.bytes(ofString: arguments[1]), Int(arguments[2]) ?? 0)]
        case "writev", "pwritev", "pwritev2", "sendmsg", "readv", "recvmsg":
            guard arguments.count > 1 else { return [] }
            return TraceText.vectors(in: arguments[1])
        default: return []
        }
    }
}
