internal import Glibc
internal import IPCModel

/// A process, by its number and the time of its start: the system assigns the number again.
struct ProcessIdentity: Sendable, Hashable {
    let number: pid_t
    /// In ticks since the system started.
    let start: UInt64
    /// Both, made once because each request of the process uses it.
    let text: String

    init(number: pid_t, start: UInt64) { (self.number, self.start, text) = (number, start, "\(number)-\(start)") }

    /// The process that has a number now; nil if its start cannot be read.
    init?(number: pid_t, procfs: String = "/proc") {
        guard let bytes = [UInt8](processFile: "\(procfs)/\(number)/stat"),
            let start = Self.start(String(decoding: bytes, as: UTF8.self))
        else { return nil }
        self.init(number: number, start: start)
    }

    /// The 22nd field (proc_pid_stat(5)). The program chooses the text of the second, so the fields count from the last
    /// parenthesis.
    static func start(_ stat: String) -> UInt64? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}

/// The account that a request is charged to.
///
/// An application that the bus or a sandbox attests pays for itself. Any other caller is charged to its process, or else
/// to its connection. The number of a process may be another process's by now: it merges accounts, and grants nothing (I19).
struct Payer: Sendable, Hashable {
    /// No application, process or connection has the text of another one.
    let text: String

    init(text: String) { self.text = text }

    init(_ source: Source, process: ProcessIdentity?, connection: String) {
        switch source.strength {
        case .owned, .sandboxed: text = source.application
        case .claimed, .unknown:
            text = process?.text ?? (connection.isEmpty ? source.application : connection)
        }
    }
}
