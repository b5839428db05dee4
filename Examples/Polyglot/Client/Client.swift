import Foundation
import IPC

/// A client in Swift: polyglot-client URL TEXT
@main
struct Client {
    static func main() async throws {
        let (url, text) = (CommandLine.arguments[1], CommandLine.arguments[2])
        do {
            let app = try await Application.connect(id: "demo.polyglot.Client")
            let reply = try await app.call(url, sending: [.string(text)])
            print(try reply.string ?? "")
        } catch {  // also an outcome that is not "handled"
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
