import ArgumentParser
import Glibc
import IPCModel

/// The arguments of this process, without the program's name.
enum CommandWords {
    struct NotUTF8: Error {
        let place: Int
    }

    /// Reads the raw bytes, before Swift replaces invalid UTF-8: a store in another folder than the one that was given
    /// would look empty (I20).
    static func checked() throws(NotUTF8) -> [String] {
        var words: [String] = []
        for place in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[place] else { break }
            guard let word = String(validatingCString: bytes) else { throw NotUTF8(place: place) }
            words.append(word)
        }
        return words
    }
}

/// What the broker prints before it exits, and its exit code.
struct CommandEnd {
    private let text: String
    private let code: Int32

    /// - Parameter error: an error in the command line, a request for help, or the exit code of a run.
    init(of error: any Error) {
        if let error = error as? CommandWords.NotUTF8 {
            (text, code) = ("argument \(error.place) is not UTF-8", IPCModel.ExitCode.dataError.rawValue)
        } else {
            text = IPCBrokerCommand.fullMessage(for: error)
            code = IPCBrokerCommand.exitCode(for: error).rawValue
        }
    }

    /// Prints help to standard output, or an error to standard error, and exits. Help that nobody gets is an error.
    func exit() -> Never {
        guard code != 0 else {
            guard Self.write(text + "\n", to: STDOUT_FILENO) else {
                let reason = "cannot write to the output: \(String(cString: strerror(errno)))"
                Self.report(reason)
                Glibc.exit(IPCModel.ExitCode.inputOutput.rawValue)
            }
            Glibc.exit(0)
        }
        if !text.isEmpty {
            let label = "Error: "
            Self.report(text.hasPrefix(label) ? String(text.dropFirst(label.count)) : text)
        }
        Glibc.exit(code)
    }

    private static func report(_ message: String) {
        _ = write("ipc-broker: \(message.printable)\n", to: STDERR_FILENO)
    }

    /// - Returns: false if not everything could be written; `errno` has the reason.
    private static func write(_ text: String, to descriptor: CInt) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
        }
        return true
    }
}
