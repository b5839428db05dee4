import Confirmations
import IPC
import Prompts
import Terminal

/// The question of a `confirm:` URL, as an alert or a sheet.
struct AlertPrompt: Prompt {
    private let source: String
    private var question: Question

    init(_ request: OpenURLRequest) throws {
        let asked = try AlertRequest(host: request.host, path: request.path, parameters: request.parameters)
        (source, question) = ("\(request.source)", Question(asked))
    }

    mutating func take(_ event: TerminalEvent) -> PromptProgress {
        guard case .key(let key) = event else { return .rejected }
        return question.press(key).map { .answered(question.reply($0)) } ?? .open
    }

    func over(_ canvas: Canvas) -> Canvas {
        var canvas = question.over(canvas)
        // Drawn over the question, so that a URL cannot hide which program asks.
        canvas.fill(row: 0, style: .reversed)
        canvas.write(" \(source) asks", at: Position(row: 0, column: 0), style: .reversed)
        return canvas
    }

    func record(_ reply: [PasteboardItem]?) -> [String] {
        ["\(source): \(question.request.title) → \(reply?.last?.string ?? "not answered")"]
    }
}
