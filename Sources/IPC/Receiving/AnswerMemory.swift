internal import IPCInterface

/// The handler's latest answers, for requests that are delivered again because the broker lost the answers. If an
/// answer was forgotten, the handler gets the request again, with a higher attempt number.
struct AnswerMemory {
    static let most = 1_000
    static let mostReplyBytes = 65_536
    static let mostBytes = 8_388_608

    private struct Answer {
        let url: Int
        let content: PendingAnswer.Content
        let byteCount: Int
    }

    private var answers: [String: Answer] = [:]
    /// The ids of ``answers``, oldest first, starting at index ``start``.
    private var order: [String] = []
    private var start = 0
    private var byteCount = 0

    /// The answer to a request; `nil` if it is unknown, or if the id now belongs to a different request.
    func answer(to id: String, _ url: String) -> PendingAnswer.Content? {
        answers[id].flatMap { $0.url == Self.mark(of: url) ? $0.content : nil }
    }

    mutating func keep(_ content: PendingAnswer.Content, to id: String, _ url: String) {
        let items = content.1.items ?? []
        let size = items.byteCount + (content.1.errorMessage?.utf8.count ?? 0)
        // Keeping an answer with a file would keep the file open.
        guard size <= Self.mostReplyBytes, !items.hasFile else { return }
        if let former = answers[id] { byteCount -= former.byteCount } else { order.append(id) }
        answers[id] = Answer(url: Self.mark(of: url), content: content, byteCount: size)
        byteCount += size
        while answers.count > Self.most || byteCount > Self.mostBytes { forgetOldest() }
    }

    private mutating func forgetOldest() {
        byteCount -= answers.removeValue(forKey: order[start])?.byteCount ?? 0
        start += 1
        guard start > Self.most else { return }
        order.removeFirst(start)
        start = 0
    }

    /// A hash to store instead of a URL, which may be up to a mebibyte long.
    private static func mark(of url: String) -> Int {
        var hasher = Hasher()
        for byte in url.utf8 { hasher.combine(byte) }
        return hasher.finalize()
    }
}
