import Glibc
import IPC

do {
    let app = try await Application.connect(id: "com.example.Notes", schemes: ["com.example.notes"])
    // Runs until the program ends. If this throws an error, the sender gets its description.
    try await app.onOpenURL { request in
        print(request.url, request.source, try request.payload.string ?? "")  // the URL is a String
        return [.string("noted")]
    }
} catch {
    print(error)  // a message, such as "there is no session bus"
    exit(1)
}
