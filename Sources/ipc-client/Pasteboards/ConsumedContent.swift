import IPC
import IPCTools

/// Content that reading has removed from a pasteboard, so that no other copy exists until it is written.
struct ConsumedContent: Sendable {
    private let items: [PasteboardItem]
    private let source: String
    private let options: PasteboardOptions
    /// Whether the pasteboard had more than was read.
    private let isPart: Bool

    /// - Returns: nil if the reading has consumed nothing.
    init?(_ version: PasteboardVersion, taken: Bool) {
        guard taken || version.isOnce, !version.items.isEmpty else { return nil }
        (items, source, isPart) = (version.items, version.source.application, false)
        options = PasteboardOptions(
            expirationDate: version.endsMillisecondsSince1970, isSensitive: version.isSensitive, isOnce: version.isOnce)
    }

    /// One representation of a version.
    /// - Returns: nil if the reading has consumed nothing.
    init?(_ representation: Representation, of version: PasteboardVersionInfo, taken: Bool) {
        guard taken || version.isOnce, let item = try? PasteboardItem([representation]) else { return nil }
        (items, source, isPart) = ([item], version.source.application, version.types.joined().count > 1)
        options = PasteboardOptions(
            expirationDate: version.endsMillisecondsSince1970, isSensitive: version.isSensitive, isOnce: version.isOnce)
    }

    /// Puts the content back after a failed write, unless another version is on the pasteboard by now.
    /// - Returns: the failure with the result.
    @DBusActor
    func afterFailure(_ failure: ToolFailure, on board: Pasteboard) async -> ToolFailure {
        let readerGone = ToolFailure(
            name: "InputOutput", message: "the reader of the output has gone before its end", exit: .inputOutput)
        let failure = failure == .outputClosed ? readerGone : failure
        let current = try? await board.versions().last
        var options = options
        options.ifChangeCount = current?.changeCount
        guard current?.itemCount == 0, (try? await board.restore(items, source: source, options: options)) != nil else {
            return failure.adding("what was read was to be read once, and could not be put back")
        }
        return failure.adding(
            isPart
                ? "what was read of it is on the pasteboard again, without its other types"
                : "what was read is on the pasteboard again")
    }
}
