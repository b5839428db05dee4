import Foundation

/// A shell command that runs while the program does.
enum ShellCommand {
    /// Runs a command without input, and waits until it exits.
    ///
    /// - Parameter show: called with each line that the command prints to either stream.
    /// - Returns: the exit status; 127 if there is no shell.
    static func run(_ command: String, showing show: @escaping @Sendable (String) -> Void) async -> Int32 {
        await withCheckedContinuation { continuation in
            // Reading blocks, so it needs its own thread.
            Thread.detachNewThread { continuation.resume(returning: runHere(command, show)) }
        }
    }

    private static func runHere(_ command: String, _ show: (String) -> Void) -> Int32 {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        do { try process.run() } catch {
            show("\(error)")
            return 127
        }
        var unfinished = Data()
        while case let read = output.fileHandleForReading.availableData, !read.isEmpty {
            unfinished += read
            while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
                show(String(decoding: unfinished[..<end], as: UTF8.self))
                unfinished = Data(unfinished[(end + 1)...])
            }
        }
        if !unfinished.isEmpty { show(String(decoding: unfinished, as: UTF8.self)) }
        process.waitUntilExit()
        return process.terminationStatus
    }
}
