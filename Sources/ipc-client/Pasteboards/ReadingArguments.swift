import ArgumentParser
import IPC
import IPCModel
import IPCTools
import Synchronization

import class IPCDBus.DBusActor

/// What `paste` and `get` read of a pasteboard, and where to.
struct ReadingArguments: ParsableArguments, Sendable {
    static let discussion = """
        Without options: the first item, as plain text if it has one, else in its first type; nothing, and exit code \
        0, if the pasteboard is empty. On a terminal a newline follows. With --json: all items, texts as they are and \
        other bytes in base64.
        """

    @Option(
        help: ArgumentHelp("Only this content type, MIME or UTI.", valueName: "type"), completion: LiveNames.types)
    var type: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Which item, counted from 0.", valueName: "n"),
        transform: Quantity.number)
    var item: UInt32?

    @Flag(help: "List the content types, one a line, and read nothing.")
    var listTypes = false

    @Flag(help: "Read and clear in one step: of several that take, one gets it.")
    var take = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The version with this change count, if it is still kept.", valueName: "n"),
        transform: Quantity.number)
    var changeCount: UInt64?

    @Option(
        name: .customLong("output"),
        help: ArgumentHelp("Write to this file; it stays as it was if nothing can be read.", valueName: "path"),
        completion: .file())
    var path: String?

    func check(_ output: OutputOptions) throws {
        guard !take || changeCount == nil else {
            throw ValidationError("--take takes the current version; leave out --change-count.")
        }
        guard !listTypes || !(take || type != nil || path != nil) else {
            throw ValidationError("--list-types reads nothing; leave out --take, --type and --output.")
        }
        guard !output.json || listTypes || path != nil || (type == nil && item == nil) else {
            throw ValidationError("--json shows all items; leave out --type and --item, or add --output.")
        }
    }

    @DBusActor
    func read(_ name: String, _ output: OutputOptions) async throws {
        // Before the first question: what is taken and cannot be written has to be put back.
        let file = try path.map { (path) throws(ToolFailure) in try Destination(path) }
        let board = try Pasteboard(named: name, of: try await Client.connect())
        if listTypes { return try await list(board, output) }
        if output.json && file == nil {
            let version = try await take ? board.take() : board.version(changeCount)
            return try await written(ConsumedContent(version, taken: take), board) { () throws(ToolFailure) in
                try OutputStream.output.writeLine(JSONValue.version(version, of: name).text)
            }
        }
        let (version, representation) = try await take ? taken(board) : chosen(board)
        if let version, let representation {
            let consumed = ConsumedContent(representation, of: version, taken: take)
            try await written(consumed, board) { () throws(ToolFailure) in
                if let file { return try file.write(representation.value) }
                var output = ContentOutput.standardOutput
                try output.write(representation.value)
            }
        }
        guard output.json else { return }
        try OutputStream.output.writeLine(
            JSONValue.object([
                "pasteboard": .string(name),
                "change-count": .count(version?.changeCount ?? 0),
                "type": representation.map { .string($0.type.text) },
                "size": .count(UInt64(representation?.byteCount ?? 0)),
                "output": path.map { .string($0) },
            ]).text)
    }

    /// Writes to the output. What nobody else has any more is put back where that fails, and where a signal comes before the
    /// end.
    @DBusActor
    private func written(
        _ content: ConsumedContent?, _ board: Pasteboard, _ write: @escaping @Sendable () throws(ToolFailure) -> Void
    ) async throws(ToolFailure) {
        guard let content else { return try write() }
        let stop = StopSignal()
        stop.listen()
        stop.ignoreClosedOutput()
        let end = await stop.end(of: { Result { () throws(ToolFailure) in try write() } }, untilSignal: 1)
        if case .failure(let failure) = end ?? .failure(.interrupted) {
            throw await content.afterFailure(failure, on: board)
        }
    }

    private typealias Read = (version: PasteboardVersionInfo?, representation: Representation?)

    /// Takes the version whose types were looked at, so that nothing is taken that cannot be shown.
    @DBusActor
    private func taken(_ board: Pasteboard) async throws -> Read {
        for _ in 0..<Self.attempts {
            let held = try await held(board)
            guard let held, let type = try chosen(held.types, of: board.name) else {
                return (held, nil)
            }
            do throws(IPCError) {
                let version = try await board.take([type], ifChangeCount: held.changeCount)
                return (held, version.items.dropFirst(Int(item ?? 0)).first?[type])
            } catch {
                guard error.code == .changeCountMismatch else { throw error }
            }
        }
        throw IPCError(
            .changeCountMismatch, "the pasteboard changed \(Self.attempts) times while it was read; try again")
    }

    /// Reads one representation, chosen by the types, which are there without reading: nothing else is read, and nothing
    /// else fetched that is promised.
    @DBusActor
    private func chosen(_ board: Pasteboard) async throws -> Read {
        for _ in 0..<Self.attempts {
            let version = try await held(board)
            guard let version, let type = try chosen(version.types, of: board.name) else {
                return (version, nil)
            }
            do throws(IPCError) {
                let value = try await board.content(
                    forType: type, item: item ?? 0, changeCount: version.changeCount)
                return (version, Representation(type: type, value: value))
            } catch {
                // Somebody was faster, and another version is there by now; else it is the answer.
                guard error.code == .noSuchItem, changeCount == nil, try await !board.holds(version) else {
                    throw error
                }
            }
        }
        throw IPCError(
            .changeCountMismatch, "the pasteboard changed \(Self.attempts) times while it was read; try again")
    }

    /// How often a read begins anew because the version is gone that was to be read.
    private static let attempts = 16

    /// The type that was asked for; nil where the pasteboard is empty and nothing in particular was.
    private func chosen(_ types: [[ContentType]], of board: String) throws -> ContentType? {
        guard Int(item ?? 0) < types.count else {
            if item == nil && type == nil { return nil }
            throw ToolFailure.noItem(item ?? 0, of: types.count, on: board)
        }
        let types = types[Int(item ?? 0)]
        guard let type else { return types.preferred }
        let wanted = try Content.type(type)
        if types.contains(wanted) { return wanted }
        // Who asks for "text/plain" means text in whatever character set.
        guard let similar = types.first(where: { wanted.text == $0.essence }) else {
            throw ToolFailure.noType(wanted, board)
        }
        return similar
    }

    @DBusActor
    private func list(_ board: Pasteboard, _ output: OutputOptions) async throws {
        var types = try await held(board)?.types ?? []
        if let item {
            guard Int(item) < types.count else { throw ToolFailure.noItem(item, of: types.count, on: board.name) }
            types = [types[Int(item)]]
        }
        if output.json {
            let rows = types.map { JSONValue.array($0.map { .string($0.text) }) }
            return try OutputStream.output.writeLine(
                JSONValue.object(["pasteboard": .string(board.name), "types": .array(rows)]).text)
        }
        var told: Set<ContentType> = []
        for type in types.joined() where told.insert(type).inserted { try OutputStream.output.writeLine(type.text) }
    }

    /// The version that is meant, without its content.
    @DBusActor
    private func held(_ board: Pasteboard) async throws -> PasteboardVersionInfo? {
        let versions = try await board.versions()
        guard let changeCount else { return versions.last }
        guard let version = versions.first(where: { $0.changeCount == changeCount }) else {
            throw ToolFailure(
                name: "NoSuchItem",
                message: "the pasteboard \(board.name.quoted) does not keep the version \(changeCount); "
                    + "'ipc-client history' lists those that it keeps",
                exit: .noInput)
        }
        return version
    }
}

extension Pasteboard {
    /// Whether a version is still held.
    func holds(_ version: PasteboardVersionInfo) async throws(IPCError) -> Bool {
        try await versions().contains { $0.changeCount == version.changeCount }
    }
}

/// A file that was opened for writing.
private final class Destination: Sendable {
    private let output: Mutex<ContentOutput>
    init(_ path: String) throws(ToolFailure) { output = Mutex(try .file(path)) }
    deinit { output.withLock { $0.discardUnused() } }

    func write(_ value: Representation.Value) throws(ToolFailure) {
        try output.withLock { (output) throws(ToolFailure) in try output.write(value) }
    }
}

extension ToolFailure {
    fileprivate static let interrupted = ToolFailure(
        name: "Cancelled", message: "the output was not written to its end", exit: .cancelled)

    fileprivate static func noItem(_ item: UInt32, of count: Int, on board: String) -> ToolFailure {
        ToolFailure(
            name: "NoSuchItem",
            message:
                "the pasteboard \(board.quoted) has \(count) item\(count == 1 ? "" : "s"), counted from 0, so there is no item \(item)",
            exit: .noInput)
    }

    fileprivate static func noType(_ type: ContentType, _ board: String) -> ToolFailure {
        ToolFailure(
            name: "NoSuchItem",
            message: "the item on the pasteboard \(board.quoted) has no representation of the type "
                + "\(type.text.quoted); --list-types shows which it has",
            exit: .noInput)
    }
}
