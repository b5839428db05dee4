import ArgumentParser
import Foundation
import Programs

struct Play: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play the tracks of a list, in order.",
        discussion: "If tracks are missing, standard error lists them, and the exit code is 66.")
    @OptionGroup var list: ListOptions
    @Option(
        help: ArgumentHelp(
            "The command that plays a file. (default: the first installed of pw-play, paplay and aplay)",
            valueName: "command"))
    var player: String?

    func run() async throws { try await list.restore { try play($0) } }

    /// Plays a whole file.
    private func play(_ path: String) throws {
        let usual = "for player in pw-play paplay aplay; do command -v $player >/dev/null && exec $player \"$1\"; done"
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        // 127 is the shell's exit code if there is no such command.
        shell.arguments = ["-c", player.map { "exec \($0) \"$1\"" } ?? "\(usual); exit 127", "sh", path]
        try shell.run()
        shell.waitUntilExit()
        let status = shell.terminationStatus
        guard status != 127 else {
            let absent = player.map { "command '\($0)'" } ?? "audio player"
            let packages = "pipewire-bin, pulseaudio-utils and alsa-utils"
            Program.tell("there is no \(absent); install one of the packages \(packages), or use --player")
            throw ExitCode(EX_UNAVAILABLE)
        }
        guard status == 0 else {
            Program.tell("\(path) cannot be played: the player exited with \(status)")
            throw ExitCode(EX_SOFTWARE)
        }
    }
}
