internal import Glibc
internal import Subprocess
internal import SystemPackage

/// Ends the children when the test process itself is killed or crashes.
///
/// It is a shell that reads from a pipe who lives; the end of the pipe is the end of this process, however it came,
/// and it then kills the rest. `PR_SET_PDEATHSIG` does not do: it fires when the *thread* that started the child ends,
/// and the threads of a pool end at any time.
enum ChildGuardian {
    private static let pipe: FileDescriptor? = {
        guard let pipe = try? FileDescriptor.pipe() else {
            isThere.update { $0 = true }
            return nil
        }
        // A child that held this end would keep the guardian from seeing our end.
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

    /// Whether the shell runs, or could not be started.
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

    /// A child, which leads a process group of its own, lives. Returns when the guardian runs: before that, a kill of this
    /// process would leave the child.
    static func watch(_ pid: Int32) async {
        write("+ \(pid)\n")
        try? await isThere.wait { $0 ? () : nil }
    }

    /// A child has ended.
    static func forget(_ pid: Int32) { write("- \(pid)\n") }

    /// A line is short enough to be written whole (pipe(7), `PIPE_BUF`).
    private static func write(_ line: String) { _ = try? pipe?.writeAll(line.utf8) }
}
