internal import IPCDBus
internal import IPCInterface
internal import IPCModel

/// `org.swiftipc.Simple1`: the calls that people make by hand, with tools that cannot pass a dictionary of variants. Each
/// is a call of `OpenURL`, `GetItems` or `SetItems` with fixed options, so the same rules and limits apply.
@DBusActor
struct SimpleService {
    let urls: URLsService
    let pasteboards: PasteboardService

    private func open(_ url: String, _ call: IncomingCall, _ answer: @escaping DelayedAnswer<String>) async throws {
        try await urls.openURL((url, OpenURLOptions()), call) { result in answer(result.map { $0.outcome ?? "" }) }
    }

    private func openText(
        _ url: String, _ text: String, _ call: IncomingCall, _ answer: @escaping DelayedAnswer<String>
    ) async throws {
        var options = OpenURLOptions()
        options.items = [.string(text)]
        try await urls.openURL((url, options), call) { result in answer(Result { try result.get().replyText }) }
    }

    private func getText(_ text: String, _ call: IncomingCall, _ answer: @escaping DelayedAnswer<String>) async throws {
        let name = try PasteboardName(text)
        var options = GetItemsOptions()
        options.types = Self.textTypes
        // The check is part of the read, so that content without text is not consumed.
        try await pasteboards.getItems(options, of: name, call) { items in
            guard items.isEmpty || items.text != nil else {
                throw IPCError(
                    .noSuchItem, "the pasteboard \(name.text.quoted) has no text; read its other types with GetItems")
            }
        } then: { result in
            answer(result.map { $0.1.map(\.item).text ?? "" })
        }
    }

    private static let textTypes =
        ([.utf8PlainText, .plainText] as [ContentType]).map(\.text) + ["text/plain;charset=us-ascii", "UTF8_STRING"]

    private func setText(
        _ board: String, _ text: String, _ call: IncomingCall, _ answer: @escaping DelayedAnswer<UInt64>
    ) async throws {
        var options = WriteOptions()
        options.create = true
        try await pasteboards.write(.set, [.string(text)], to: try PasteboardName(board), options, call, answer)
    }

    var exported: ExportedInterface {
        ExportedInterface(
            Simple1.description,
            methods: [
                Simple1.open.answered(later: { try await self.open($0, $1, $2) }),
                Simple1.openText.answered(later: { try await self.openText($0.0, $0.1, $1, $2) }),
                Simple1.getText.answered(later: { try await self.getText($0, $1, $2) }),
                Simple1.setText.answered(later: { try await self.setText($0.0, $0.1, $1, $2) }),
            ])
    }
}

extension OpenURLResult {
    /// The text of the reply; empty if the reply has none.
    /// - Throws: an error with the outcome and its reason unless the request was handled.
    fileprivate var replyText: String {
        get throws {
            guard outcome == Outcome.handled.rawValue || outcome == Outcome.delivered.rawValue else {
                let reason = errorMessage.map { ": \($0)" } ?? ""
                throw ErrorReply(.failed, "the request ended with the outcome “\(outcome ?? "")”\(reason)")
            }
            return items?.text ?? ""
        }
    }
}

extension [PasteboardItem] {
    /// The text of the first item that has a text which a D-Bus string can carry.
    fileprivate var text: String? { lazy.compactMap(\.string).first { !$0.utf8.contains(0) } }
}
