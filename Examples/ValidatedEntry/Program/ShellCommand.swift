import Foundation

/// A command of a shell that runs beside the program.
enum ShellCommand {
    /// Runs it to its end, without input.
    ///
    /// - Parameter show: is given each line that it prints, to either stream.
    /// - Returns: its exit status; 127 where there is no shell.
    static func run(_ command: String, showing show: @escaping @Sendable (String) -> Void) async -> Int32 {
        await withCheckedContinuation { continuation in
            // Reading waits, so it has a thread of its own.
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
