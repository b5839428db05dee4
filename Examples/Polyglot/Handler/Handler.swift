import IPC
import Programs

/// A handler in Swift. It prints the URL and the text of each request, and answers.
@main
struct Handler {
    static func main() async {
        await Program.run {
            let app = try await Application.connect(id: "demo.polyglot.Swift", schemes: ["polyglot.swift"])
            print("listening as demo.polyglot.Swift for polyglot.swift")
            try await app.onOpenURL { request in
                let text = try request.payload.string ?? ""
                print("\(request.url)\n\(text)")
                return [.string("Swift has: \(text)")]
            }
        }
    }
}
