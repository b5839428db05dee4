import Glibc
import IPC

do {
    let app = try await Application.connect(id: "com.example.Notes", schemes: ["com.example.notes"])
    try await app.onOpenURL { request in  // until the program ends; an error thrown here is sent back as the answer
        print(request.url, request.source, try request.payload.string ?? "")
        return [.string("noted")]
    }
} catch {
    print(error)  // a message, such as "there is no session bus"
    exit(1)
}
