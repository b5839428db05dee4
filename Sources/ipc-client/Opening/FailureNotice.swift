import IPC
import IPCModel
import IPCTools

/// The message that a desktop shows when a link that it has opened fails, because its user sees no standard error.
struct FailureNotice: Sendable {
    let summary: String
    let body: String

    /// - Parameter request: the id of the request; nil if the broker has not accepted it.
    init(_ failure: ToolFailure, url: String, request: RequestID?) {
        summary = "Problem with the link \(url.asTold)"
        let more =
            request.map { "'ipc-client request show \($0)' shows more" } ?? "'ipc-client doctor' looks for the cause"
        body = [failure.message.onOneLine, more].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Asks the desktop to show the message. Does nothing if there is no bus, or no desktop that shows messages.
    @DBusActor
    func show() async {
        guard let app = try? await Client.connect() else { return }
        await app.bus.notify(of: summary, body, from: Client.tool)
    }
}
