internal import Dispatch
@preconcurrency internal import Glibc

/// A shell command that runs next to the program.
public enum ShellCommand {
    private enum Output: Sendable {
        case line(String)
        case ended(Int32)
    }

    /// Runs a command without input, and waits until it exits.
    ///
    /// - Parameter show: called with each line that the command prints to either stream.
    /// - Returns: the exit status, as a shell reports it: 128 plus the signal's number if a signal ended the command.
    nonisolated(nonsending) public static func run(_ command: String, showing show: (String) -> Void) async -> Int32 {
        let (output, feed) = AsyncStream.makeStream(of: Output.self)
        // Reading blocks, so it needs its own thread.
        DispatchQueue.global().async { read(command, feed) }
        for await piece in output {
            switch piece {
            case .line(let line): show(line)
            case .ended(let status): return status
            }
        }
        return 0
    }

    private static func read(_ command: String, _ feed: AsyncStream<Output>.Continuation) {
        defer { feed.finish() }
        guard let pipe = start(command) else {
            feed.yield(.ended(127))
            return
        }
        var (line, capacity) = (UnsafeMutablePointer<CChar>?.none, 0)
        defer { free(line) }
        while getline(&line, &capacity, pipe) > 0, let line {
            feed.yield(.line(String(String(cString: line).prefix { $0 != "\n" })))
        }
        let status = pclose(pipe)
        let signal = status & 0x7F
        feed.yield(.ended(signal == 0 ? (status >> 8) & 0xFF : 128 + signal))
    }

    private static func start(_ command: String) -> UnsafeMutablePointer<FILE>? {
        // A child inherits the signal mask of its thread, and Dispatch blocks signals on its threads.
        var (none, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        // It would also inherit the terminal as its standard input.
        return popen("{ \(command)\n} </dev/null 2>&1", "r")
    }
}
