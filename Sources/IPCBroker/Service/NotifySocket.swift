internal import Glibc

/// The socket on which the broker tells its service manager, such as systemd, what it is doing (sd_notify(3)).
struct NotifySocket: Sendable {
    /// A path, or a NUL byte and the name of an abstract socket (unix(7)).
    private let address: [UInt8]

    /// - Parameter environment: `NOTIFY_SOCKET` is used.
    /// - Returns: `nil` if no service manager wants to know.
    init?(environment: [String: String]) {
        let name = Array((environment["NOTIFY_SOCKET"] ?? "").utf8)
        switch name.first {
        case UInt8(ascii: "/"): address = name
        case UInt8(ascii: "@"): address = [0] + name.dropFirst()
        default: return nil
        }
        guard address.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
    }

    enum Message {
        case ready, stopping
        /// The configuration is being read again. ``ready`` ends this.
        case reloading
        /// What the broker is doing, for people.
        case status(String)

        /// The assignments of sd_notify(3).
        var text: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Message.monotonicMicroseconds)"
            case .status(let text): "STATUS=\(text)"
            }
        }

        private static var monotonicMicroseconds: Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
        }
    }

    /// Sends messages together. Never waits: if the manager does not read, the messages are lost, as if there were no
    /// manager.
    func tell(_ messages: Message...) {
        let socket = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        var manager = sockaddr_un()
        manager.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &manager.sun_path) { $0.copyBytes(from: address) }
        let text = Array(messages.map(\.text).joined(separator: "\n").utf8)
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        _ = withUnsafePointer(to: manager) { manager in
            manager.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, text, text.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
