import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct WritingArguments: ParsableArguments, Sendable {
    @Flag(help: "Let the first reader consume the content.")
    var once = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long the content stays: seconds, or 300ms, 10m, 12h, 30d.", valueName: "time"),
        transform: TimeSpan.parseLong)
    var expire: TimeSpan?

    @Flag(help: "Mark the content as a secret: it stays in memory, can be read once, and expires after a minute.")
    var sensitive = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Write only if the pasteboard has exactly this change count.", valueName: "n"))
    var ifChangeCount: UInt64?

    @Option(help: ArgumentHelp("Act as the application with this id.", valueName: "id"))
    var application = Client.id

    @OptionGroup var broker: BrokerOptions

    /// The library's options for writing, from the command line.
    var options: PasteboardOptions {
        PasteboardOptions(
            timeToLive: expire?.duration, isSensitive: sensitive, isOnce: once, ifChangeCount: ifChangeCount)
    }

    @DBusActor
    func write(_ content: ContentOptions, to name: String, _ output: OutputOptions) async throws {
        let item = try content.item(output)
        let isSecret = sensitive || item.isMarkedSensitive
        if isSecret && content.isInArguments {
            try output.warn(
                "ArgumentsVisible",
                "other programs can see command-line arguments; pass a secret through standard input or --file")
        }
        if isSecret, let expire, expire.duration > .seconds(60) {
            try output.warn("Shortened", "a secret is kept for 60 s by default; a longer --expire may have no effect")
        }
        let app = try await broker.connect(as: application)
        let board = Pasteboard(named: try PasteboardName(name), of: app)
        let count = try await WaitingLine.during(item.storingLabel) { try await set(item, on: board) }
        try output.print(.object(["pasteboard": .string(name), "change-count": .count(count)]), text: nil)
    }

    /// Sets the item. Creates a missing pasteboard, unless `--if-change-count` is given.
    @DBusActor
    private func set(_ item: PasteboardItem, on board: Pasteboard) async throws(IPCError) -> UInt64 {
        do throws(IPCError) {
            return try await board.setItems([item], options: options, createsPasteboard: ifChangeCount == nil)
        } catch {
            guard error.code == .noSuchPasteboard, ifChangeCount != nil else { throw error }
            throw IPCError(
                .noSuchPasteboard,
                "there is no pasteboard \(board.name.text.quoted), so it has no change count; leave out "
                    + "--if-change-count to create it")
        }
    }
}

extension PasteboardItem {
    /// What the broker does with this item, for a person who waits; nil for content that it stores at once.
    var storingLabel: String? {
        let size = representations.reduce(UInt64(0)) { $0 + UInt64($1.byteCount) }
        return size > Limits().inlineValueBytes ? "storing  \(ByteSize.text(size))" : nil
    }
}
