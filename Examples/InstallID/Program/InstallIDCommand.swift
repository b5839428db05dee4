import ArgumentParser
import Glibc
import IPC
import InstallID
import Programs

/// The program `install-id`.
@main
struct InstallIDCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install-id",
        abstract: "The id of this installation: created once, kept in the keyring, and the same on every start.",
        subcommands: [Show.self, Where.self, Remove.self, Serve.self], defaultSubcommand: Show.self)
}

/// The option that selects the application whose installation id a command uses.
struct ApplicationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The application id.", valueName: "id"))
    var application = "com.example.InstallID"

    /// Runs the work on the installation; a failure ends the process with an error message and an exit code.
    func installation<Result>(_ work: (Installation) async throws -> Result) async -> Result {
        await Program.run { try await work(try Installation(of: application)) }
    }
}

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the id; the first start creates it. (default)")
    @OptionGroup var options: ApplicationOptions

    func run() async throws { print(await options.installation { try await $0.id().text }) }
}

struct Where: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print where the id is kept: “keyring”, or the path of a file.")
    @OptionGroup var options: ApplicationOptions

    func run() async throws {
        guard let place = await options.installation({ try $0.place() }) else {
            Program.tell("there is no id yet")
            throw ExitCode(EX_NOINPUT)
        }
        print(place)
    }
}

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Delete the id; the next start creates another one.")
    @OptionGroup var options: ApplicationOptions

    func run() async throws {
        let wasThere = await options.installation { try await $0.remove() }
        print(wasThere ? "removed" : "there was none")
    }
}
