internal import CLinux
@preconcurrency internal import Dispatch
internal import Glibc

/// Information about a process from `/proc/PID`; see proc(5).
package struct ProcessStatus: Sendable {
    package let pid: Int32

    package init(pid: Int32) { self.pid = pid }

    /// Whether the process exists and has not exited (a zombie has exited).
    package var isRunning: Bool {
        guard let state = statistics?.first else { return false }
        return state != "Z" && state != "X"
    }

    /// Whether the process has handled all signals: none is pending, and its first thread, which gets them, sleeps again
    /// (`SigPnd`, `ShdPnd`, `State`). `true` if the process has exited.
    package var hasHandledSignals: Bool {
        guard let text = try? FileContents.text("/proc/\(pid)/status") else { return true }
        let fields = text.split(separator: "\n").map { $0.split { $0 == ":" || $0 == "\t" } }
        let pending = fields.filter { $0.first == "SigPnd" || $0.first == "ShdPnd" }.compactMap { $0.last }
        let state = fields.first { $0.first == "State" }?.dropFirst().first?.first
        return pending.allSatisfy { $0.allSatisfy { $0 == "0" } } && state != "R"
    }

    /// Resident anonymous memory, in bytes (`RssAnon`): the cost of the process itself, without files and shared
    /// libraries.
    package var residentAnonymousBytes: Int {
        get throws { try field("RssAnon") * 1024 }
    }

    /// All resident memory, in bytes (`VmRSS`).
    package var residentBytes: Int {
        get throws { try field("VmRSS") * 1024 }
    }

    /// The number of open descriptors.
    ///
    /// Only root can read the directory of a process that is not dumpable. Every user can read the directory's size,
    /// which Linux 6.2 and newer set to the number of descriptors.
    package var openDescriptors: Int {
        get throws {
            let path = "/proc/\(pid)/fd"
            if let names = FileContents.names(in: path) { return names.count }
            var facts = stat()
            guard stat(path, &facts) == 0, facts.st_size > 0 else { throw HarnessError.system("stat \(path)") }
            return Int(facts.st_size)
        }
    }

    /// The files that are mapped into the process, each once.
    package var mappedFiles: Set<String> {
        get throws {
            let lines = try FileContents.text("/proc/\(pid)/maps").split(separator: "\n")
            return Set(lines.compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } })
        }
    }

    /// How often each thread of the process has slept and woken up so far, by thread ID (`voluntary_ctxt_switches`).
    package var wakeUps: [Int32: Int] {
        get throws {
            var counts: [Int32: Int] = [:]
            for thread in (FileContents.names(in: "/proc/\(pid)/task") ?? []).compactMap({ Int32($0) }) {
                // The thread may have exited in the meantime.
                counts[thread] = try? field("voluntary_ctxt_switches", in: "/proc/\(pid)/task/\(thread)/status")
            }
            guard !counts.isEmpty else { throw HarnessError("process \(pid) has no threads: it has ended.") }
            return counts
        }
    }

    /// The parent's process ID; `nil` if the process is gone.
    package var parent: Int32? { statistics.flatMap { Int32($0[1]) } }

    /// The processes with this one as their parent.
    package var children: [Int32] {
        Self.all.filter { ProcessStatus(pid: $0).parent == pid }
    }

    /// The descendants of this process, parents before children.
    package var descendants: [Int32] {
        children.flatMap { [$0] + ProcessStatus(pid: $0).descendants }
    }

    /// The session of the process; `nil` if the process is gone.
    package var session: Int32? { statistics.flatMap { Int32($0[3]) } }

    /// The name of the program, cut at 15 bytes; `nil` if the process is gone.
    package var command: String? {
        (try? FileContents.text("/proc/\(pid)/comm")).map { String($0.dropLast()) }
    }

    /// Whether the process was started with this environment variable; `false` if the environment cannot be read.
    package func wasStarted(with name: String, _ value: String) -> Bool {
        guard let bytes = try? FileContents.read("/proc/\(pid)/environ") else { return false }
        return bytes.split(separator: 0).contains { $0.elementsEqual("\(name)=\(value)".utf8) }
    }

    /// All process IDs on this machine.
    package static var all: [Int32] { (FileContents.names(in: "/proc") ?? []).compactMap { Int32($0) } }

    /// Kills a process that need not be a child of this one, and returns when it is gone.
    ///
    /// - Throws: ``DeadlineExceeded``, for example if this process may not kill it.
    package func kill9() async throws {
        kill(pid, SIGKILL)
        try await waitForEnd()
    }

    /// Returns when the process, which need not be a child of this one, has exited.
    ///
    /// - Throws: ``DeadlineExceeded``.
    package func waitForEnd() async throws {
        try await withDeadline("end of process \(pid)") {
            try await end()
        }
    }

    /// Returns when the process has exited, whether it is a child or not. Uses the C function `pidfd_open`.
    private func end() async throws {
        let descriptor = clinux_open_process(pid)
        guard descriptor >= 0 else {
            guard errno == ESRCH else { throw HarnessError("pidfd_open(\(pid)): \(String(cString: strerror(errno)))") }
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        let ends = AsyncStream<Void> { continuation in
            source.setEventHandler { continuation.finish() }
            source.setCancelHandler { close(descriptor) }
            continuation.onTermination = { _ in source.cancel() }
            source.resume()
        }
        for await _ in ends {}
        try Task.checkCancellation()
    }

    /// Kills the processes in the sessions of those leaders that have exited; returns when the processes are gone. A
    /// leader whose process ID is in use again is skipped, because the session may belong to the new process.
    static func killSessions(of leaders: Set<Int32>) async {
        for pid in all {
            guard let session = ProcessStatus(pid: pid).session, leaders.contains(session) else { continue }
            if !FileContents.exists("/proc/\(session)") { try? await ProcessStatus(pid: pid).kill9() }
        }
    }

    /// The fields of `/proc/PID/stat` after the command, which may itself contain blanks and brackets: state, parent,
    /// process group, session, …
    private var statistics: [Substring]? {
        let text = try? FileContents.text("/proc/\(pid)/stat")
        return text.flatMap { text in
            text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ") }
        }
    }

    private func field(_ name: String) throws -> Int { try field(name, in: "/proc/\(pid)/status") }

    private func field(_ name: String, in path: String) throws -> Int {
        let lines = try FileContents.text(path).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("\(name):") }),
            let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) })
        else { throw HarnessError("\(path) has no \(name): the process has ended.") }
        return number
    }
}
