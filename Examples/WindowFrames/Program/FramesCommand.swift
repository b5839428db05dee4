import ArgumentParser
import Foundation
import IPC
import Programs
import WindowFrames

/// The program `frames`.
@main
struct FramesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames",
        abstract: "Window frames on a pasteboard, saved by one program and restored bit for bit by another.",
        subcommands: [Save.self, Restore.self])

    /// Connects and runs `work`; an error ends the process with a message.
    static func connected<Result>(_ work: (Application) async throws -> Result) async -> Result {
        await Program.run {
            let app = try await Application.connect(id: "com.example.WindowFrames")
            let result = try await work(app)
            await app.close()
            return result
        }
    }
}

struct Save: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Save frames under a name.")
    @Argument(help: "The name.") var name: String
    @Argument(
        parsing: .allUnrecognized,  // because a frame may start with a minus sign
        help: ArgumentHelp("Frames, such as 0,25.5,640,480.", valueName: "x,y,width,height"), transform: CGRect.parsed)
    var frames: [CGRect]
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The position of the pointer.", valueName: "x,y"),
        transform: CGPoint.parsed)
    var pointer: CGPoint?

    func run() async throws {
        await FramesCommand.connected { app in
            try await FramesBoard(name, of: app).save(WindowFrames(frames: frames, pointer: pointer))
        }
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the frames as x,y,width,height, one on each line, and then the pointer as x,y.")
    @Argument(help: "The name.") var name: String
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Move the frames into this area, and shrink larger ones. The saved frames are not changed.",
            valueName: "x,y,width,height"), transform: CGRect.parsed)
    var into: CGRect?
    @Flag(help: "Print each number as its 64 bits, in hexadecimal digits.") var bits = false

    func validate() throws {
        guard into.map({ $0.numbers.allSatisfy(\.isFinite) && $0.size.width > 0 && $0.size.height > 0 }) ?? true else {
            throw ValidationError("The area of --into needs finite numbers, and a width and height above 0.")
        }
    }

    func run() async throws {
        let saved = await FramesCommand.connected { try await FramesBoard(name, of: $0).restore() }
        let frames = into.map(saved.moved) ?? saved
        for numbers in frames.frames.map(\.numbers) + (frames.pointer.map { [$0.numbers] } ?? []) {
            print(numbers.map { bits ? $0.bitDigits : "\($0)" }.joined(separator: ","))
        }
    }
}
