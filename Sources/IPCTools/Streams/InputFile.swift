internal import Glibc
private import IPCModel

/// Reads a whole file or standard input, up to what one message can carry.
package enum InputFile {
    /// The most that is read: the default of the limit `inline-message-bytes`.
    package static let mostBytes = Int(Limits().inlineMessageBytes)

    /// - Throws: ``ToolFailure``: 66 where there is no such file, 75 where it is too large, 74 where reading fails.
    package static func read(_ path: String) throws(ToolFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotOpen(path, errno) }
        defer { close(descriptor) }
        return try read(descriptor, named: "the file \(path.quoted)")
    }

    /// Reads standard input to its end; says so on a terminal, where nothing seems to happen otherwise.
    package static func readStandardInput() throws(ToolFailure) -> [UInt8] {
        if isatty(STDIN_FILENO) == 1 && OutputStream.error.isTerminal {
            try OutputStream.error.writeLine("reading from the terminal; end with Ctrl-D")
        }
        return try read(STDIN_FILENO, named: "the standard input")
    }

    private static func read(_ descriptor: Int32, named name: String) throws(ToolFailure) -> [UInt8] {
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &block, block.count)
            if count == 0 { return content }
            if count < 0 {
                if errno == EINTR { continue }
                throw .cannotRead(name, errno)
            }
            content += block[..<count]
            guard content.count <= mostBytes else { throw .tooLarge(name) }
        }
    }
}

extension ToolFailure {
    fileprivate static func cannotOpen(_ path: String, _ code: Int32) -> ToolFailure {
        let isMissing = code == ENOENT || code == ENOTDIR
        return ToolFailure(
            name: isMissing ? "NoSuchFile" : "InputOutput",
            message:
                "cannot open the file \(path.quoted): \(describe(code)); give the path of a file that you may read",
            exit: .noInput)
    }

    fileprivate static func cannotRead(_ name: String, _ code: Int32) -> ToolFailure {
        ToolFailure(
            name: "InputOutput", message: "cannot read \(name): \(describe(code))",
            exit: code == EISDIR ? .noInput : .inputOutput)
    }

    fileprivate static func tooLarge(_ name: String) -> ToolFailure {
        ToolFailure(
            name: "LimitExceeded",
            message: "\(name) has more than \(InputFile.mostBytes) bytes, the most that one message carries; "
                + "send it in parts, or send its path",
            exit: .tryAgain)
    }
}
