import ArgumentParser
import IPC
import InstallID
import Programs

/// Provides the id to other programs: `ipc-client call installid:`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Answer “installid:” URLs with the id.")
    @OptionGroup var options: ApplicationOptions

    func run() async throws {
        await options.installation { installation in
            // On a signal, the requests in progress are answered, and then the program exits.
            let signals = StopSignals()
            let app = try await Application.connect(
                id: ApplicationID(options.application), schemes: ["installid"])
            Program.tell("listening as \(options.application) for installid")
            try await app.onOpenURL(until: signals) { request in
                // The scheme may be in upper case (RFC 3986 §3.1), but nothing may follow the colon.
                guard request.url.lowercased() == "installid:" else { throw OpenURLRequest.Answer.declined }
                return [.string(try await installation.id().text)]
            }
            await app.close()
        }
    }
}
