import ArgumentParser
import Glibc
import HTTPRelay
import IPC
import Questions
import SceneManager

/// Browses the questions of a server: a list that grows, and a page for each question.
@main
struct QABrowser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qa-browser", abstract: "Browse the questions of a server, through the relay.",
        discussion: """
            This program opens no network connection itself. It needs http-relay, which fetches from the server, such as \
            question-server. 'scripts/example QABrowser' starts all three.
            """)

    @Option(help: "The server's URL, such as http://127.0.0.1:8080. (default: the variable QUESTION_SERVER)")
    var server: String?

    func run() async throws {
        guard let server = server ?? getenv("QUESTION_SERVER").map({ String(cString: $0) }) else {
            throw ValidationError("Missing server. Use --server http://127.0.0.1:PORT, or set QUESTION_SERVER.")
        }
        await SceneProgram(id: "demo.QABrowser", scheme: "qa", root: SceneAddress("search"), order: Self.order) { app in
            let api = QuestionAPI(server: server, relay: Relay(app))
            let list = QuestionList { try await api.results(of: $0, start: $1, results: $2) }
            return { address in
                switch address.name {
                case "search": try SearchScene(address, list)
                case "question": try QuestionScene(address, list, api, app)
                default: throw SceneRefusal("there is no screen “\(address.name)”", code: "no-such-screen")
                }
            }
        }.run()
    }

    /// Converts a URL into an order: a URL of a screen, `back`, `home`, or an order that all programs with scenes accept.
    private static func order(_ address: SceneAddress) throws -> SceneOrder {
        switch address.name {
        case "search", "question": .stack(.show(address))
        case "back": .stack(.pop)
        case "home": .stack(.popToRoot)
        default: try SceneOrder(address)
        }
    }
}
