internal import Glibc
internal import IPCModel

/// A process, identified by its number and start time, because the system reuses numbers.
struct ProcessIdentity: Sendable, Hashable {
    let number: pid_t
    /// The start time, in clock ticks since the system booted.
    let start: UInt64
    /// The number and the start time as a string, built once because each request from the process uses it.
    let text: String

    init(number: pid_t, start: UInt64) { (self.number, self.start, text) = (number, start, "\(number)-\(start)") }

    /// Finds the process that currently has this number; `nil` if its start time cannot be read.
    init?(number: pid_t, procfs: String = "/proc") {
        guard let bytes = [UInt8](processFile: "\(procfs)/\(number)/stat"),
            let start = Self.start(String(decoding: bytes, as: UTF8.self))
        else { return nil }
        self.init(number: number, start: start)
    }

    /// The present in the unit of ``start``. No process that starts later has an earlier ``start``.
    static var clock: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let ticks = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return UInt64(max(0, time.tv_sec)) * ticks + UInt64(time.tv_nsec) * ticks / 1_000_000_000
    }

    /// Reads the start time, which is the 22nd field (proc_pid_stat(5)). The second field is a name in parentheses that
    /// the program chooses, so the fields are counted from the last parenthesis.
    static func start(_ stat: String) -> UInt64? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}

/// The account that a request is charged to. An application that the bus or a sandbox attests has its own account. Any
/// other caller is charged to its process, or else to its connection. A process number may be reused, so it only
/// selects an account, and grants no rights (I19).
struct Payer: Sendable, Hashable {
    /// Identifies the account. No two applications, processes or connections have the same string.
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
