internal import CLinux
internal import Glibc

/// Waits for the programs that libdbus starts (`unixexec:`) and never waits for. Without this each reconnect would leave
/// one ended process behind.
@DBusActor
final class ChildReaper {
    private static var waiting: [pid_t: ChildReaper] = [:]

    private let process: Descriptor
    private let watch: DescriptorWatch

    private init(_ child: pid_t, _ process: Descriptor) {
        self.process = process
        watch = DescriptorWatch(process.rawValue, for: .reading) {
            waitpid(child, nil, WNOHANG)
            Self.waiting[child] = nil
        }
    }

    /// Waits for processes, in the background.
    nonisolated static func reap(_ children: Set<pid_t>) {
        guard !children.isEmpty else { return }
        DBusActor.handOver {
            for child in children {
                let process = clinux_open_process(child)
                guard process >= 0 else {
                    Task { _ = await Background.run { waitpid(child, nil, 0) } }
                    continue
                }
                waiting[child] = ChildReaper(child, Descriptor(owning: process))
            }
        }
    }

    /// The processes that this thread has started, without those that were waited for (proc_pid_task_children(5)).
    nonisolated static func childrenOfThread() -> Set<pid_t> {
        guard let file = fopen("/proc/thread-self/children", "re") else { return [] }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&text, 1, text.count, file)
        return Set(String(decoding: text[..<count], as: UTF8.self).split(separator: " ").compactMap { pid_t($0) })
    }

    isolated deinit { watch.end() }
}
