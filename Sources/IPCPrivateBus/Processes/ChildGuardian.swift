internal import Glibc
internal import Subprocess
internal import SystemPackage

/// Kills the children if the test process itself is killed or crashes.
///
/// It is a shell that reads the list of running children from a pipe. The pipe is closed when this process exits, for
/// whatever reason, and the shell then kills the remaining children. `PR_SET_PDEATHSIG` is not enough: it fires when
/// the *thread* that started the child exits, and pool threads may exit at any time.
enum ChildGuardian {
    private static let pipe: FileDescriptor? = {
        guard let pipe = try? FileDescriptor.pipe() else {
            isThere.update { $0 = true }
            return nil
        }
        // If a child inherited the write end, the shell would not notice that this process has closed it.
        _ = fcntl(pipe.writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
        Task.detached {
            var options = PlatformOptions()
            options.createSession = true
            _ = try? await Subprocess.run(
                .name("sh"), arguments: ["-c", script], platformOptions: options,
                input: .fileDescriptor(pipe.readEnd, closeAfterSpawningProcess: true), output: .discarded,
                error: .discarded
            ) { _ in isThere.update { $0 = true } }
            isThere.update { $0 = true }
        }
        return pipe.writeEnd
    }()

    /// Becomes true when the shell is running, or when it has failed to start.
    private static let isThere = Observed(false)

    private static let script = """
        live=' '
        while read -r change pid; do
            case $change in
                +) live="$live$pid " ;;
                -) case $live in *" $pid "*) live="${live%% $pid *} ${live#* $pid }" ;; esac ;;
            esac
        done
        for pid in $live; do kill -s KILL -- "-$pid"; done
        """

    /// Registers a running child, which leads its own process group. Returns when the guardian is running: before that,
    /// a kill of this process would leave the child behind.
    static func watch(_ pid: Int32) async {
        write("+ \(pid)\n")
        try? await isThere.wait { $0 ? () : nil }
    }

    /// Removes an exited child from the shell's list.
    static func forget(_ pid: Int32) { write("- \(pid)\n") }

    /// Writes a line to the shell. Lines are short enough to be written atomically (pipe(7), `PIPE_BUF`).
    private static func write(_ line: String) { _ = try? pipe?.writeAll(line.utf8) }
}
