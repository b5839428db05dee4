import Glibc
import IPC
import IPCDBus

/// One side of a measurement: a handler, a service, or a client that measures itself and prints one line of JSON.
///
///     Load MEASUREMENT [name=value …]
///
/// The functions that `run(_:)` calls document the measurements and their settings.
@main
struct Load {
    static func main() async {
        do {
            let arguments = try Settings(CommandLine.arguments.dropFirst())
            try await DBusActor.task { try await run(arguments) }.value
        } catch {
            let line = "Load: \(error)\n"
            write(STDERR_FILENO, line, line.utf8.count)
            exit(1)
        }
    }

    @DBusActor
    private static func run(_ settings: Settings) async throws {
        switch settings.measurement {
        case "receive": try await Requests.receive(settings)
        case "open": try await Requests.open(settings)
        case "queue": try await Requests.queue(settings)
        case "ask": try await Requests.ask(settings)
        case "connect-only": _ = try await Application.connect(id: "org.example.Sender")
        case "soak": try await Soak.run(settings)
        case "set": try await Boards.set(settings)
        case "get": try await Boards.get(settings)
        case "payload": try await LargeValues.run(settings)
        case "watch": try await Watchers.run(settings)
        case "echo-server": try await Echo.serve(settings)
        case "echo-client": try await Echo.call(settings)
        case "fill-boards": try await Growth.fillBoards(settings)
        case "fill-items": try await Growth.fillItems(settings)
        case "fill-schemes": try await Growth.fillSchemes(settings)
        case "fill-pending": try await Growth.fillPending(settings)
        case "connect": try await Growth.connect(settings)
        default: throw Settings.Mistake(description: "unknown measurement “\(settings.measurement)”")
        }
    }
}

/// Prints a line and flushes it, because the parent process waits for it.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
