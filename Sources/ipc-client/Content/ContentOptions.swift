import ArgumentParser
import IPC
import IPCModel
import IPCTools

/// The options that specify the content of `send`, `copy` and `set`.
struct ContentOptions: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp(
            "The text; words are joined by spaces. Without text, or with \"-\", standard input is read.",
            valueName: "text"))
    var words: [String] = []

    @Option(help: ArgumentHelp("Read the content from this file instead.", valueName: "path"), completion: .file())
    var file: String?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            """
            The content type, MIME or UTI. TYPE=PATH adds a file to the same item, in another type; it may be \
            repeated. (default: UTF-8 text, or application/octet-stream if the content is not text)
            """, valueName: "type"), completion: .list(Content.commonTypes))
    var types: [String] = []

    @Flag(help: "Remove a newline at the end.")
    var trimNewline = false

    init() {}

    init(words: [String]) { (self.words, file, types, trimNewline) = (words, nil, [], false) }

    func validate() throws {
        guard file == nil || words.isEmpty else {
            throw ValidationError("Give either text or --file, not both.")
        }
        let alone = types.filter { TypedFile($0) == nil }
        guard alone.count < 2 else {
            throw ValidationError("Give only one --type without a file; give every other type as --type TYPE=PATH.")
        }
        guard alone.isEmpty || alone.count == types.count || hasMain else {
            throw ValidationError("--type \(alone[0]) needs content; give text, --file, or --type TYPE=PATH.")
        }
        let streams = types.count { TypedFile($0)?.path == "-" } + (words == ["-"] ? 1 : 0)
        guard streams < 2 else { throw ValidationError("Standard input can be read only once.") }
    }

    /// Whether the arguments name content other than `TYPE=PATH` files.
    private var hasMain: Bool { file != nil || !words.isEmpty }

    /// Whether part of the content is visible in the process list.
    var isInArguments: Bool { !words.isEmpty && words != ["-"] }

    /// Reads the content into an item: the main content first, then the files with types, in order.
    /// - Parameter output: where to warn if standard input is empty, for example because a timer started the program.
    func item(_ output: OutputOptions = .unstated) throws -> PasteboardItem {
        let files = types.compactMap { TypedFile($0) }
        var representations: [Representation] = []
        if hasMain || files.isEmpty {
            let type = try types.first { TypedFile($0) == nil }.map { try Content.newType($0) }
            let content = try content()
            if !hasMain, content.byteCount == 0 {
                try output.warn(
                    "EmptyInput",
                    "standard input is empty, so the content is empty; give text, --file, or \"\" for empty text"
                )
            }
            representations.append(Content.representation(content, type))
        }
        for file in files {
            representations.append(Content.representation(try read(file.path), try Content.newType(file.type)))
        }
        return try PasteboardItem(representations)
    }

    private func content() throws(ToolFailure) -> Representation.Value {
        if let file { return try InputFile.read(file, trimmingNewline: trimNewline) }
        if words.isEmpty || words == ["-"] { return try read("-") }
        var text = Array(words.joined(separator: " ").utf8)
        if trimNewline && text.last == UInt8(ascii: "\n") { text.removeLast() }
        return .bytes(text)
    }

    private func read(_ path: String) throws(ToolFailure) -> Representation.Value {
        path == "-"
            ? try InputFile.readStandardInput(trimmingNewline: trimNewline)
            : try InputFile.read(path, trimmingNewline: trimNewline)
    }
}

/// `TYPE=PATH`: a file and its type. A type has “=” only after the name of a parameter, so the path starts after the
/// first “=” that follows a complete type: `text/plain;charset=utf-8` is a type, but `text/plain;charset=utf-8=a=b.txt`
/// is the file `a=b.txt`.
struct TypedFile: Hashable {
    let type: String
    let path: String

    init?(_ text: String) {
        for place in text.utf8.indices where text.utf8[place] == UInt8(ascii: "=") {
            let type = String(text[..<place])
            guard (try? ContentType(type)) != nil else { continue }
            self.type = type
            path = String(text[text.utf8.index(after: place)...])
            return
        }
        return nil
    }
}

enum Content {
    /// The types that shell completion offers for new content.
    static let commonTypes = [
        "application/json", "application/octet-stream", "application/pdf", "image/jpeg", "image/png", "image/svg+xml",
        "text/csv", "text/html", "text/markdown", "text/plain", "text/uri-list", "video/webm",
    ]

    /// Creates a representation. Text is sent as text, so that every reader can show it, and other content as bytes or
    /// as a file. The bytes do not change.
    static func representation(_ value: Representation.Value, _ type: ContentType?) -> Representation {
        switch value {
        case .text: Representation(type: type ?? .utf8PlainText, value: value)
        case .bytes(let bytes): representation(bytes, type)
        case .file(let file):
            Representation(
                type: type ?? (TextCheck.isText(file) ? .utf8PlainText : .octetStream), value: value)
        }
    }

    static func representation(_ bytes: [UInt8], _ type: ContentType?) -> Representation {
        if let type { return Representation(type: type, value: .inMemory(bytes, type)) }
        let value = Representation.Value.inMemory(bytes, .utf8PlainText)
        if case .text = value { return Representation(type: .utf8PlainText, value: value) }
        return Representation(type: .octetStream, value: value)
    }

    /// Parses a type for new content. It must look like a MIME type or a UTI, or be the mark of a secret, because readers
    /// look for no other types.
    static func newType(_ text: String) throws -> ContentType {
        let type = try type(text)
        guard type == .passwordManagerHint || text.contains(where: { $0 == "/" || $0 == "." }) else {
            throw ToolFailure(
                name: "InvalidArguments",
                message: "\(text.quoted) is not a content type; give a MIME type, such as image/png, or a UTI, such as "
                    + "public.png",
                exit: .dataError)
        }
        return type
    }

    static func type(_ text: String) throws(IPCError) -> ContentType {
        do throws(ContentType.Invalid) { return try ContentType(text) } catch { throw error.ipcError }
    }
}
