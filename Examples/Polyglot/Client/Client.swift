import IPC
import Programs

/// A client in Swift: polyglot-client URL TEXT
@main
struct Client {
    static func main() async {
        let (url, text) = (CommandLine.arguments[1], CommandLine.arguments[2])
        await Program.run {  // any outcome other than "handled" is an error too
            let app = try await Application.connect(id: "demo.polyglot.Client")
            let reply = try await app.call(url, sending: [.string(text)])
            print(try reply.string ?? "")
        }
    }
}
