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
        guard frames.hasOnlyNumbers else {
            throw IPCError(.invalidArguments, "a frame contains NaN, which is not a position on a screen")
        }
        try await application.pasteboard(named: PasteboardName(name), create: true).setValue(frames)
    }

    /// Reads the frames, exactly as they were saved.
    /// - Throws: `noSuchPasteboard`; `noSuchItem` if the pasteboard is empty; `payloadInvalid` if it does not contain
    ///   frames, or if one of their numbers is NaN.
    package func restore() async throws -> WindowFrames {
        let board = try await application.pasteboard(named: PasteboardName(name))
        guard let frames = try await board.value(WindowFrames.self) else {
            throw IPCError(.noSuchItem, "the pasteboard \(name) does not contain frames")
        }
        guard frames.hasOnlyNumbers else {
            throw IPCError(.payloadInvalid, "a frame on the pasteboard \(name) contains NaN")
        }
        return frames
    }
}

extension WindowFrames {
    /// Whether no number is NaN, which is not a position on a screen, and whose payload bits JSON cannot represent.
    fileprivate var hasOnlyNumbers: Bool { !numbers.contains(where: \.isNaN) }
}
