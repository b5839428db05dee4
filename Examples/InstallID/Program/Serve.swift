import ArgumentParser
import Glibc
import IPC
import InstallID
import UnixSignals

/// Gives the id to other programs: `ipc-client call installid:`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Answer “installid:” URLs with the id.")
    @OptionGroup var options: ApplicationOptions

    func run() async throws {
        let installation = try await options.installation { $0 }
        do {
            let app = try await Application.connect(id: options.application, schemes: ["installid"])
            // What is in hand is answered, then the program ends.
            let signals = Task {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { try? await app.stopReceiving() }
            }
            defer { signals.cancel() }
            StandardError.tell("listening as \(options.application) for installid")
            try await app.onOpenURL { request in
                // The scheme is compared without case (RFC 3986, 3.1), and nothing may stand behind it.
                guard request.url.lowercased() == "installid:" else { throw OpenURLRequest.Answer.declined }
                return [.string(try await installation.id().text)]
            }
        } catch {
            StandardError.tell("install-id: \(error.message)")
            throw ExitCode(error.code.exitCode)
        }
    }
}

enum StandardError {
    /// Writes a line for a person.
    static func tell(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        write(STDERR_FILENO, bytes, bytes.count)
    }
}
