public import Questions

extension Question {
    /// The question's own web page with all answers. It is well-formed XML as well as HTML.
    public var page: String {
        let answers = (0..<numberOfAnswers).map { "<h2>\(isJapanese ? "回答" : "Answer") \($0 + 1)</h2>\n\(answer($0))" }
        return html(
            """
            <h1>\(text.escapedForXML)</h1>
            <p><small>\(date) · \(condition) · \(countedAnswers)</small></p>
            \(answers.joined(separator: "\n"))
            """)
    }

    /// The question's page for phones, with the first answer only.
    public var mobilePage: String {
        html(
            """
            <h1>\(text.escapedForXML)</h1>
            \(numberOfAnswers == 0 ? "<p>—</p>" : answer(0))
            <p><small><a href="/question/\(id)">\(countedAnswers)</a></small></p>
            """)
    }

    private func html(_ body: String) -> String {
        """
        <!DOCTYPE html>
        <html xmlns="http://www.w3.org/1999/xhtml" lang="\(isJapanese ? "ja" : "en")">
        <head>
        <meta charset="utf-8" /><meta name="viewport" content="width=device-width" />
        <title>Question \(id)</title>
        <style>body { max-width: 40em; margin: auto; font-family: sans-serif; line-height: 1.6 }</style>
        </head>
        <body>
        \(body)
        </body>
        </html>\n
        """
    }

    private var countedAnswers: String { numberOfAnswers == 1 ? "1 answer" : "\(numberOfAnswers) answers" }
    private var isJapanese: Bool { text.unicodeScalars.contains { (0x3040..<0xA000).contains($0.value) } }

    /// An answer: two of the sentences below, chosen by a fixed rule, so that each visit shows the same text.
    private func answer(_ number: Int) -> String {
        let sentences = isJapanese ? Self.japanese : Self.english
        let first = (id &* 7 &+ number &* 3) % sentences.count
        let second = (first + 1 + (id + number) % (sentences.count - 1)) % sentences.count
        return "<p>\(sentences[first])<br />\(sentences[second])</p>"
    }

    private static let japanese = [
        "私も同じことで困っていましたが、<b>一晩おいたら</b>直りました。", "近くの図書館で聞いてみるのがいいと思います。",
        "写真があると、もっと答えやすいです📷", "説明書は会社のホームページで読めますよ。",
        "うちでは祖母のやり方をまねしています。", "お急ぎでなければ、春まで待つのも手です🌸",
        "それは <em>A &amp; B</em> の二つを比べてから決めましょう。", "ご参考になれば幸いです。",
    ]

    private static let english = [
        "I had the same problem, and it went away <b>overnight</b>.", "Ask at your local library first.",
        "A picture would make this easier to answer 📷", "The manual is on the maker's web page.",
        "We do it the way my grandmother did.", "If there is no hurry, wait until spring 🌸",
        "Compare <em>A &amp; B</em> before you decide.", "I hope this helps.",
    ]
}
