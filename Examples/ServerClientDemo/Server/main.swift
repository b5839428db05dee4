import Glibc
import IPC

do {
    let isNamed = CommandLine.arguments.contains("--named")
    let app = try await Application.connect(id: "demo.IPCServer", schemes: ["IPCServer.demo"])
    print("waiting for IPCServer.demo: URLs")
    try await app.onOpenURL { request in
        // The payload belongs to this URL. The pasteboard may already contain the text of a later one.
        let text =
            try await isNamed
            ? app.pasteboard(named: "demo.IPCClient", create: false).string : request.payload.string
        print("\(text ?? "") (\(request.url) from \(request.source))")
        // The answer goes to the client, so only a sender that is proven to be the client gets one. If the client has
        // exited in the meantime, its text was still shown.
        if request.source == Source(application: "demo.IPCClient", strength: .owned) {
            let answer = PasteboardItem.string("shown, \(text?.count ?? 0) characters")
            _ = try? await app.open("IPCClient.demo://IPCServer.demo?key=value", sending: [answer])
        }
        return []
    }
} catch {
    print(error)
    exit(1)
}
