import ArgumentParser
import Glibc
import IPC
import IPCModel
import IPCTools
import Synchronization

struct ReadingArguments: ParsableArguments, Sendable {
    static let discussion = """
        Without options, prints the first item, as plain text if possible, otherwise in its first type. If the \
        pasteboard is empty, prints nothing and exits with 0. On a terminal, a newline follows if the content does not \
        end with one. With --json, prints all items: text as it is, and other content in base64.

        Binary content is not written to a terminal (exit code 65), because it could change the terminal's settings. \
        Use --output or a pipe.
        """

    @Option(
        help: ArgumentHelp("Read this content type, MIME or UTI.", valueName: "type"), completion: LiveNames.types)
    var type: String?

    @Option(number: "Read this item, counted from 0.")
    var item: UInt32?

    @Flag(help: "List the content types, one per line, and read no content.")
    var listTypes = false

    @Flag(help: "Read and clear in one step. If several programs do this, only one gets the content.")
    var take = false

    @Option(number: "Read the version with this change count, if the broker still keeps it.")
    var changeCount: UInt64?

    @Option(
        name: .customLong("output"),
        help: ArgumentHelp(
            """
            Write to this file. If nothing can be read, the file is not changed. With "-", write to standard output, \
            even binary content to a terminal.
            """, valueName: "path"),
        completion: .file())
    var path: String?

    @OptionGroup var broker: BrokerOptions

    /// Whether the user asked for the content on standard output, even if it is binary.
    private var isForced: Bool { path == "-" }

    func check(_ output: OutputOptions) throws {
        guard !output.json || !isForced else {
            throw ValidationError("--output - writes the content to standard output; leave out --json.")
        }
        guard !take || changeCount == nil else {
            throw ValidationError("--take takes the current version; leave out --change-count.")
        }
        guard !listTypes || !(take || type != nil || path != nil) else {
            throw ValidationError("--list-types reads no content; leave out --take, --type and --output.")
        }
        guard !output.json || listTypes || path != nil || (type == nil && item == nil) else {
            throw ValidationError("--json shows all items; leave out --type and --item, or add --output.")
        }
    }

    @DBusActor
    func read(_ name: String, _ output: OutputOptions) async throws {
        // Opens the output file first: content that is taken from the pasteboard, but cannot be written, would have to
        // be put back.
        let file = try (isForced ? nil : path).map { (path) throws(ToolFailure) in try Destination(path) }
        let board = Pasteboard(named: try PasteboardName(name), of: try await broker.connect())
        if listTypes { return try await list(board, output) }
        let stop = StopSignal()
        stop.endProcess(atSignal: 2) { file?.discard() }
        // A signal must not leave a temporary file behind.
        if file != nil { stop.listen() }
        do { try await read(board, name, to: file, output, stop) } catch {
            file?.discard()
            throw error
        }
    }

    @DBusActor
    private func read(
        _ board: Pasteboard, _ name: String, to file: Destination?, _ output: OutputOptions, _ stop: StopSignal
    ) async throws {
        if output.json && file == nil {
            stop.listen()
            let version = try await take ? board.take() : board.version(changeCount)
            return try await written(ConsumedContent(version, taken: take), board, stop) { () throws(ToolFailure) in
                try output.write(.version(version, of: name))
            }
        }
        let isShown = file == nil && !isForced && OutputStream.output.isTerminal
        let (version, representation) = try await readOne(board, isShown: isShown, stop)
        if let version, let representation {
            let consumed = ConsumedContent(representation, of: version, taken: take)
            try await written(consumed, board, stop) { () throws(ToolFailure) in
                if let file { return try file.write(representation.value) }
                if isShown, !TerminalCheck.canShow(representation.value) { throw .binary(representation.type) }
                var output = ContentOutput.standardOutput
                try output.write(representation.value)
            }
        }
        guard output.json else { return }
        try output.write(.written(representation, version, of: name, to: path))
    }

    /// Writes to the output. If writing fails or a signal interrupts it, consumed content goes back to the pasteboard.
    @DBusActor
    private func written(
        _ content: ConsumedContent?, _ board: Pasteboard, _ stop: StopSignal,
        _ write: @escaping @Sendable () throws(ToolFailure) -> Void
    ) async throws(ToolFailure) {
        guard let content else {
            guard !stop.hasCome(1) else { throw .interrupted }
            return try write()
        }
        stop.ignoreClosedOutput()
        let end: Result<Void, ToolFailure>? =
            stop.hasCome(1)
            ? nil : await stop.end(of: { Result { () throws(ToolFailure) in try write() } }, untilSignal: 1)
        if case .failure(let failure) = end ?? .failure(.interrupted) {
            throw await content.afterFailure(failure, on: board)
        }
    }

    /// Reads one representation. Looks at the list of types before it reads, so that it consumes no content that the
    /// terminal cannot show, and requests promised content only for the type that it chooses.
    /// - Parameter isShown: whether a terminal shows the content.
    @DBusActor
    private func readOne(
        _ board: Pasteboard, isShown: Bool, _ stop: StopSignal
    ) async throws -> (version: PasteboardVersionInfo?, representation: Representation?) {
        // Starts over if the version is replaced after it was listed and before it is read.
        let attempts = 16
        for _ in 0..<attempts {
            let version = try await held(board)
            guard let version, let type = try chosen(version.types, of: board.name.text) else { return (version, nil) }
            // Rejects binary content before it is read, because reading would consume the version's other types, too.
            if isShown, take || version.isOnce, !type.isText { throw ToolFailure.binary(type) }
            // From here on, a signal must not stop the program between reading the content and writing it.
            if take || version.isOnce { stop.listen() }
            do throws(IPCError) {
                guard take else {
                    let value = try await board.content(
                        forType: type, item: item ?? 0, changeCount: version.changeCount)
                    return (version, Representation(type: type, value: value))
                }
                let taken = try await board.take([type], ifChangeCount: version.changeCount)
                return (version, taken.items.dropFirst(Int(item ?? 0)).first?[type])
            } catch {
                guard error.code == (take ? .changeCountMismatch : .noSuchItem), changeCount == nil else { throw error }
                if !take, try await board.holds(version) { throw error }
            }
        }
        throw IPCError(
            .changeCountMismatch, "the pasteboard changed \(attempts) times while it was being read; try again")
    }

    /// The type to read; nil if the pasteboard is empty and the arguments name neither item nor type.
    private func chosen(_ types: [[ContentType]], of board: String) throws -> ContentType? {
        guard Int(item ?? 0) < types.count else {
            if item == nil && type == nil { return nil }
            throw ToolFailure.noItem(item ?? 0, of: types.count, on: board)
        }
        let types = types[Int(item ?? 0)]
        guard let type else { return types.preferred }
        let wanted = try Content.type(type)
        if types.contains(wanted) { return wanted }
        // "text/plain" means text in any character set.
        if let similar = types.first(where: { wanted.text == $0.essence }) { return similar }
        throw ToolFailure(
            name: "NoSuchItem",
            message: "the item on the pasteboard \(board.quoted) has no representation of the type "
                + "\(wanted.text.quoted); --list-types lists its types",
            exit: .noInput)
    }

    @DBusActor
    private func list(_ board: Pasteboard, _ output: OutputOptions) async throws {
        var types = try await held(board)?.types ?? []
        if let item {
            guard Int(item) < types.count else { throw ToolFailure.noItem(item, of: types.count, on: board.name.text) }
            types = [types[Int(item)]]
        }
        if output.json {
            return try output.write(.object(["pasteboard": .string(board.name.text), "types": .types(types)]))
        }
        for type in types.distinct { try OutputStream.output.writeLine(type) }
    }

    /// The version to read, without its content; nil if the pasteboard is empty.
    @DBusActor
    private func held(_ board: Pasteboard) async throws -> PasteboardVersionInfo? {
        let versions = try await board.versions()
        guard let changeCount else { return versions.last }
        guard let version = versions.first(where: { $0.changeCount == changeCount }) else {
            throw ToolFailure(
                name: "NoSuchItem",
                message: "the pasteboard \(board.name.text.quoted) has no version \(changeCount); "
                    + "'ipc-client board history' lists the versions that it has",
                exit: .noInput)
        }
        return version
    }
}

extension Pasteboard {
    /// Whether the pasteboard still keeps a version; false if the pasteboard was removed.
    func holds(_ version: PasteboardVersionInfo) async throws(IPCError) -> Bool {
        do throws(IPCError) { return try await versions().contains { $0.changeCount == version.changeCount } } catch {
            guard error.code == .noSuchPasteboard else { throw error }
            return false
        }
    }
}

/// A file that was opened for writing.
private final class Destination: Sendable {
    private let output: Mutex<ContentOutput>
    private let temporary: String?

    init(_ path: String) throws(ToolFailure) {
        let file = try ContentOutput.file(path)
        temporary = file.temporaryPath
        output = Mutex(file)
    }

    /// Removes the temporary file, even while another thread writes to it. Has no effect once the file is complete.
    func discard() { if let temporary { unlink(temporary) } }

    func write(_ value: Representation.Value) throws(ToolFailure) {
        try output.withLock { (output) throws(ToolFailure) in try output.write(value) }
    }
}

extension ToolFailure {
    fileprivate static func binary(_ type: ContentType) -> ToolFailure {
        ToolFailure(
            name: "BinaryOutput",
            message: "the content (\(type.text)) is not plain text, so it is not written to a terminal; give "
                + "--output FILE, use a pipe, or force it with '--output -'",
            exit: .dataError)
    }

    fileprivate static let interrupted = ToolFailure(
        name: "Cancelled", message: "a signal interrupted the output", exit: .cancelled)

    fileprivate static func noItem(_ item: UInt32, of count: Int, on board: String) -> ToolFailure {
        ToolFailure(
            name: "NoSuchItem",
            message: count == 0
                ? "the pasteboard \(board.quoted) is empty, so it has no item \(item)"
                : "the pasteboard \(board.quoted) has no item \(item); give a number from 0 to \(count - 1)",
            exit: .noInput)
    }
}
