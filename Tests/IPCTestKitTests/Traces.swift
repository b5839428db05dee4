import IPCTestKit
import IPCTesting

/// What a private broker leaves on the machine while it is running.
struct Traces: Sendable {
    /// The temporary directory, which contains the home directory.
    let directory: String

    init(_ broker: PrivateBroker) {
        directory = String((broker.environment["HOME"] ?? "").dropLast("/home".count))
    }

    /// The processes that were started with a home directory below this path.
    static func processes(below path: String) -> [Int32] {
        ProcessStatus.all.filter { pid in
            let bytes = (try? FileContents.read("/proc/\(pid)/environ")) ?? []
            return bytes.split(separator: 0).contains { $0.starts(with: "HOME=\(path)/".utf8) }
        }
    }

    var processes: [Int32] { Self.processes(below: directory) }
    var hasDirectory: Bool { FileContents.exists(directory) }
}
