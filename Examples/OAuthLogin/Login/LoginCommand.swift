import ArgumentParser
import Foundation
import IPC
import OAuthLogin
import Programs

/// Signs in through the browser, as RFC 8252 requires of native programs, and prints the name of the user.
@main
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "oauth-login", abstract: "Sign in through the browser.",
        discussion: """
            Opens the server's page in a browser, waits until the browser is redirected to oauthlogin.demo:/callback?code=…, \
            and exchanges the code for a token. During the login, the desktop opens such links in this program. The files \
            that this needs are removed at the end, even after Ctrl-C.

            EXIT STATUS
              0 signed in; 69 no bus, no broker, no server; 70 the server refuses the code; 73 another program has the \
            scheme; 75 no answer in time; 77 the user declined; 130 Ctrl-C
            """)

    @Argument(help: "The URL of the server.", transform: Self.server)
    var server: String

    @Option(
        help: """
            A command that opens a URL, which is added as the last argument. (default: the desktop's handler for links)
            """)
    var browser: String?

    @Option(help: "How long to wait for the browser, in seconds.")
    var timeout = 120.0

    func validate() throws {
        guard timeout > 0, timeout <= 3_600 else {
            throw ValidationError("The time-out must be more than 0 and at most 3600 seconds.")
        }
    }

    func run() async throws {
        await Program.run {
            let user = try await Login(
                client: .demo, server: server, browser: Browser(command: browser), timeout: .seconds(timeout)
            ).run()
            print(Program.printable("signed in as \(user.name) (\(user.id))"))
        }
    }

    @Sendable
    private static func server(_ text: String) throws -> String {
        guard let parts = try? URLParts(of: text), ["http", "https"].contains(parts.scheme),
            parts.host?.isEmpty == false, parts.parameters.isEmpty, URL(string: text) != nil
        else { throw ValidationError("“\(text)” is not an http or https URL of a server.") }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
