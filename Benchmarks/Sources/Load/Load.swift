import Glibc
import IPC

/// A receiver that answers at once, and a sender that keeps so many requests on their way.
///
///     Load handle WINDOW                       registers the scheme "load" and answers until it is ended
///     Load send COUNT WINDOW BYTES [BOARD]     COUNT requests, WINDOW at a time, each with a payload of BYTES
@main
struct Load {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().map { $0 }
        switch arguments.first {
        case "handle": try await handle(window: UInt32(arguments[1])!)
        case "send":
            try await send(
                count: Int(arguments[1])!, window: Int(arguments[2])!, bytes: Int(arguments[3])!,
                board: arguments.count > 4 ? arguments[4] : nil)
        default: print("usage: Load handle WINDOW | Load send COUNT WINDOW BYTES [BOARD]")
        }
    }

    static func handle(window: UInt32) async throws {
        let app = try await Application.connect(id: "org.example.Load", schemes: ["load"], window: window)
        print("ready")
        fflush(nil)
        for try await request in app.openURLs { try await request.finish(.handled) }
    }

    static func send(count: Int, window: Int, bytes: Int, board: String?) async throws {
        let app = try await Application.connect(id: "org.example.Sender", resends: false)
        let pasteboard: Pasteboard? =
            if let board { try await app.pasteboard(named: board, create: true) } else { nil }
        let item = PasteboardItem.data([UInt8](repeating: 120, count: bytes))
        _ = try await app.open("load:", sending: [item], on: pasteboard)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<window {
                group.addTask {
                    for _ in stride(from: sender, to: count, by: window) {
                        _ = try await app.open("load:", sending: [item], on: pasteboard)
                    }
                }
            }
            try await group.waitForAll()
        }
        let microseconds =
            Double((ContinuousClock.now - start).components.attoseconds) / 1e12
            + Double((ContinuousClock.now - start).components.seconds) * 1e6
        print(
            "count=\(count) window=\(window) bytes=\(bytes) us_per_request=\((microseconds / Double(count) * 10).rounded() / 10)",
            "requests_per_s=\(Int(Double(count) / microseconds * 1e6))")
    }
}
