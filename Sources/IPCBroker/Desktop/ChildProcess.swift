internal import CLinux
internal import Glibc

/// Runs a program with a string as its standard input, and blocks until it exits; see ``Background``. Input and output
/// are memory files. So neither side can block the other, and a process that the program leaves behind cannot keep a
/// pipe open.
enum ChildProcess {
    enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        /// The process was killed because it ran for too long.
        case tookTooLong
    }

    struct Output: Sendable {
        let end: End
        /// The beginning of the program's output.
        let text: String
    }

    private static let mostOutput = 65_536

    /// Runs a program. A name without a slash is looked up in `PATH`.
    /// - Returns: `nil` if the program cannot be started.
    static func run(
        _ command: [String], _ environment: [String: String], input text: String, milliseconds: Int32
    ) -> Output? {
        let input = clinux_memory_file("input")
        let output = clinux_memory_file("output")
        defer { for file in [input, output] where file >= 0 { close(file) } }
        guard input >= 0, output >= 0, fill(input, with: text),
            let pid = start(command, environment, input, output)
        else { return nil }
        let end = wait(for: pid, milliseconds)
        return Output(end: end, text: read(output))
    }

    private static func fill(_ file: CInt, with text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = write(file, rest.baseAddress, rest.count)
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return lseek(file, 0, SEEK_SET) == 0
        }
    }

    private static func read(_ file: CInt) -> String {
        let bytes = [UInt8](unsafeUninitializedCapacity: mostOutput) { buffer, count in
            count = max(0, pread(file, buffer.baseAddress, buffer.count, 0))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Starts a program with default signal handling, because the broker ignores or blocks some signals.
    private static func start(
        _ command: [String], _ environment: [String: String], _ input: CInt, _ output: CInt
    ) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        return posix_spawnp(&pid, command[0], &actions, &attributes, arguments, variables) == 0 ? pid : nil
    }

    private static func wait(for pid: pid_t, _ milliseconds: Int32) -> End {
        let process = clinux_open_process(pid)
        defer { if process >= 0 { close(process) } }
        var question = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        var found: CInt = 0
        // `EINTR` is rare here, so the wait may start over. If `process` is negative, `poll` waits for the full time.
        repeat { found = poll(&question, 1, milliseconds) } while found < 0 && errno == EINTR
        if found == 0 { kill(pid, SIGKILL) }
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        guard found != 0 else { return .tookTooLong }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
}
