import IPC
import IPCTools

/// Content that reading has removed from a pasteboard. No other copy exists until it is written.
struct ConsumedContent: Sendable {
    private let items: [PasteboardItem]
    private let source: String
    private let options: PasteboardOptions
    /// Whether the pasteboard had more content than was read.
    private let isPart: Bool

    /// Creates the content of a whole version; nil if reading has consumed nothing.
    init?(_ version: PasteboardVersion, taken: Bool) {
        guard taken || version.isOnce, !version.items.isEmpty else { return nil }
        (items, source, isPart) = (version.items, version.source.application, false)
        options = PasteboardOptions(
            expiresAt: version.expiresAt, isSensitive: version.isSensitive, isOnce: version.isOnce)
    }

    /// Creates the content of one representation of a version; nil if reading has consumed nothing.
    init?(_ representation: Representation, of version: PasteboardVersionInfo, taken: Bool) {
        guard taken || version.isOnce, let item = try? PasteboardItem([representation]) else { return nil }
        (items, source, isPart) = ([item], version.source.application, version.types.joined().count > 1)
        options = PasteboardOptions(
            expiresAt: version.expiresAt, isSensitive: version.isSensitive, isOnce: version.isOnce)
    }

    /// Puts the content back after a failed write, unless another version is on the pasteboard by now.
    /// - Returns: the failure, with a clause about what happened to the content.
    @DBusActor
    func afterFailure(_ failure: ToolFailure, on board: Pasteboard) async -> ToolFailure {
        let readerGone = ToolFailure(
            name: "InputOutput", message: "the reader closed the output too early", exit: .inputOutput)
        let failure = failure == .outputClosed ? readerGone : failure
        let current = try? await board.versions().last
        var options = options
        options.ifChangeCount = current?.changeCount
        guard current?.itemCount == 0, (try? await board.restore(items, source: source, options: options)) != nil else {
            return failure.adding("the content could be read only once, and could not be put back on the pasteboard")
        }
        return failure.adding(
            isPart
                ? "the content is on the pasteboard again, but without its other types"
                : "the content is on the pasteboard again")
    }
}
