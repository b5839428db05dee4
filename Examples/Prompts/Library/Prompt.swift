public import IPC
public import Terminal

/// A question that a URL asks the person at a terminal, and the state of its answer.
public protocol Prompt: Sendable {
    /// Reads the question from a request.
    /// - Throws: the reason for the sender if the URL does not ask a valid question.
    init(_ request: OpenURLRequest) throws

    /// Handles a key or a paste.
    mutating func take(_ event: TerminalEvent) -> PromptProgress

    /// Returns the canvas with the question over it.
    func over(_ canvas: Canvas) -> Canvas

    /// Returns the lines that stay on the terminal after the question.
    /// - Parameter reply: the reply to the sender; `nil` if there is none.
    func record(_ reply: [PasteboardItem]?) -> [String]
}

/// The effect of an event on a question.
public enum PromptProgress: Sendable {
    /// The question is still open.
    case open
    /// The event has no meaning for this question, so the terminal makes a sound.
    case rejected
    /// The question is answered with this reply.
    case answered([PasteboardItem])
    /// The person does not want to answer, so the outcome is `cancelled`.
    case declined
}
