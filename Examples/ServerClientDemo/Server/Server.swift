import IPC
import Programs

@main
struct Server {
    /// Handles `IPCServer.demo:` URLs: prints the text of each on a line, and replies to the sender.
    static func main() async {
        await Program.run {
            let app = try await Application.connect(id: "demo.IPCServer", schemes: ["IPCServer.demo"])
            print("waiting for IPCServer.demo: URLs")
            var count = 0
            for try await request in app.openURLs {
                let text = try request.payload.string ?? ""
                count += 1
                print("\(count): \(text) (\(request.url) from \(request.source))")
                try await request.finish(.handled, replying: [.string("message \(count), \(text.count) characters")])
            }
        }
    }
}
