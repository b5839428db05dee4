import ArgumentParser
import IPC
import IPCModel
import IPCTools

/// Where the content of `send` and `set` comes from.
struct ContentOptions: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp(
            "The text; words are joined by one blank. Without any, or for \"-\": standard input.", valueName: "text"))
    var words: [String] = []

    @Option(help: ArgumentHelp("Take the content of this file instead.", valueName: "path"))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "The content type, MIME or UTI. (default: UTF-8 text, or application/octet-stream if it is none)",
            valueName: "type"))
    var type: String?

    @Flag(help: "Leave out a newline at the end.")
    var trimNewline = false

    func validate() throws {
        guard file == nil || words.isEmpty else {
            throw ValidationError("Give either a text or --file, not both.")
        }
    }

    /// Reads what is to be read, and makes an item of it.
    func item() throws -> PasteboardItem {
        let type = try type.map { (text) throws(IPCError) in try contentType(text) }
        var content = try content()
        if trimNewline && content.last == UInt8(ascii: "\n") { content.removeLast() }
        return try PasteboardItem([Content.representation(content, type)])
    }

    private func contentType(_ text: String) throws(IPCError) -> ContentType {
        do throws(ContentType.Invalid) { return try ContentType(text) } catch { throw error.ipcError }
    }

    private func content() throws(ToolFailure) -> [UInt8] {
        if let file { return try InputFile.read(file) }
        if words.isEmpty || words == ["-"] { return try InputFile.readStandardInput() }
        return Array(words.joined(separator: " ").utf8)
    }
}

/// Bytes from outside as a representation.
enum Content {
    /// Text travels as text, so that every receiver can show it; all else as bytes, without a change to either.
    static func representation(_ bytes: [UInt8], _ type: ContentType?) -> Representation {
        let text = bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
        let type = type ?? (text == nil ? .octetStream : .utf8PlainText)
        if let text, type.essence.hasPrefix("text/") || type.isUTF8PlainText {
            return Representation(type: type, value: .text(text))
        }
        return Representation(type: type, value: .bytes(bytes))
    }
}
