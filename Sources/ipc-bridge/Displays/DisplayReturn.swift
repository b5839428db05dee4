import IPCTools

import class IPCDBus.DBusActor

extension Display {
    /// How often, and how many times, a connection is tried after an event. The socket's name appears before the server
    /// accepts connections.
    private static let pause = Duration.milliseconds(500)
    private static let attempts = 10

    /// Waits until the display accepts connections again after its server has ended, and connects to it.
    /// - Returns: `nil` if the display cannot return, because it is on another machine or its socket's folder is gone.
    /// - Throws: a ``ToolFailure`` if the display is back but cannot be used; `CancellationError`.
    @DBusActor
    func returned() async throws -> (any DesktopClipboard)? {
        guard let socket, let folder = FolderWatch(for: socket) else { return nil }
        // If a supervisor restarts the server and keeps its socket, no event reports that.
        if let clipboard = try? await opened() { return clipboard }
        return await folder.arrival() ? try await opened() : nil
    }

    @DBusActor
    private func opened() async throws -> any DesktopClipboard {
        for _ in 1..<Self.attempts {
            try await Task.sleep(for: Self.pause)
            if let clipboard = try? open() { return clipboard }
        }
        return try open()
    }
}
