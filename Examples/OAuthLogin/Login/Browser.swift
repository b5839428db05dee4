import Foundation
import IPC
import Programs

/// The browser in which the user signs in.
struct Browser: Sendable {
    /// The command that opens a URL; `nil` means the desktop's handler for links.
    let command: String?

    /// Opens a page, and prints its URL for users who want to open it themselves.
    func open(_ page: String, by app: Application) async throws {
        Program.tell("waiting for the browser at \(page)")
        guard let command else { return try await openOnDesktop(page, by: app) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command.split(separator: " ").map(String.init) + [page]
        // The messages that browsers print do not help the user.
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { process in
            guard process.terminationStatus != 0 else { return }
            Program.tell(
                "“\(command)” exited with \(process.terminationStatus); open the URL above in another browser")
        }
        do { try process.run() } catch { throw LoginFailure.noBrowser("\(error.localizedDescription)") }
    }

    /// Opens the page with the desktop's own handler, to which the library passes URLs that no application claims.
    private func openOnDesktop(_ page: String, by app: Application) async throws {
        do {
            let response = try await app.open(page)
            guard !response.isHandled else { return }
            throw LoginFailure.noBrowser(response.errorMessage ?? response.outcome.rawValue)
        } catch let error as IPCError { throw LoginFailure.noBrowser(error.message) }
    }
}
