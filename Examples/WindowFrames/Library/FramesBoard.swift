package import IPC

/// The pasteboard with the frames that are saved under a name. It is persistent, so the frames outlive all programs.
package struct FramesBoard: Sendable {
    private let application: Application
    /// The pasteboard's name.
    package let name: String

    package init(_ name: String, of application: Application) {
        self.application = application
        self.name = "com.example.WindowFrames.\(name)"
    }

    /// Replaces the content of the pasteboard with the frames, which are on disk when this returns.
    /// - Throws: `invalidArguments` if one of the numbers is NaN.
    package func save(_ frames: WindowFrames) async throws {
        // JSON has no digits that could preserve the payload bits of NaN.
        guard !frames.numbers.contains(where: \.isNaN) else {
            throw IPCError(.invalidArguments, "a frame contains NaN, which is not a position on a screen")
        }
        try await application.pasteboard(named: PasteboardName(name), create: true).setValue(frames)
    }

    /// Reads the frames, exactly as they were saved.
    /// - Throws: `noSuchPasteboard`; `noSuchItem` if the pasteboard is empty; `payloadInvalid` if it does not contain
    ///   frames.
    package func restore() async throws -> WindowFrames {
        do throws(IPCError) {
            let board = try await application.pasteboard(named: PasteboardName(name))
            if let frames = try await board.value(WindowFrames.self) { return frames }
            throw IPCError(.noSuchItem, "the pasteboard \(name) does not contain frames")
        } catch {
            guard error.code == .noSuchPasteboard else { throw error }
            throw IPCError(error.code, "there is no pasteboard “\(name)”; create it with 'frames save'")
        }
    }
}
