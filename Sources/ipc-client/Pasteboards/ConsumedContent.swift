import IPC
import IPCTools

import class IPCDBus.DBusActor

/// Content that reading has taken off a pasteboard: nobody else has it until it is written somewhere.
struct ConsumedContent: Sendable {
    private let items: [PasteboardItem]
    private let source: String
    private let options: PasteboardOptions
    /// Whether there was more than was read.
    private let isPart: Bool

    /// - Returns: nil where the reading has consumed nothing.
    init?(_ version: PasteboardVersion, taken: Bool) {
        guard taken || version.isOnce, !version.items.isEmpty else { return nil }
        (items, source, isPart) = (version.items, version.source.application, false)
        options = PasteboardOptions(
            expirationDate: version.endsMillisecondsSince1970, isSensitive: version.isSensitive, isOnce: version.isOnce)
    }

    /// One representation of a version.
    /// - Returns: nil where the reading has consumed nothing.
    init?(_ representation: Representation, of version: PasteboardVersionInfo, taken: Bool) {
        guard taken || version.isOnce, let item = try? PasteboardItem([representation]) else { return nil }
        (items, source, isPart) = ([item], version.source.application, version.types.joined().count > 1)
        options = PasteboardOptions(
            expirationDate: version.endsMillisecondsSince1970, isSensitive: version.isSensitive, isOnce: version.isOnce)
    }

    /// Puts it back where it could not be written to its end, and says so; but not in the place of what somebody else has
    /// written since.
    @DBusActor
    func afterFailure(_ failure: ToolFailure, on board: Pasteboard) async -> ToolFailure {
        let failure = failure == .outputClosed ? .readerGone : failure
        guard await isPutBack(on: board) else {
            return failure.adding("what was read was to be read once, and could not be put back")
        }
        return failure.adding(
            isPart
                ? "what was read of it is on the pasteboard again, without its other types"
                : "what was read is on the pasteboard again")
    }

    @DBusActor
    private func isPutBack(on board: Pasteboard) async -> Bool {
        guard let now = try? await board.versions().last, now.itemCount == 0 else { return false }
        var options = options
        options.ifChangeCount = now.changeCount
        return (try? await board.restore(items, source: source, options: options)) != nil
    }
}

extension ToolFailure {
    fileprivate static let readerGone = ToolFailure(
        name: "InputOutput", message: "the reader of the output has gone before its end", exit: .inputOutput)
}
