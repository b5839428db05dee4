public import Questions

extension ResultSet {
    /// The answer of the web API, in XML.
    public var xml: String {
        let rows = questions.map { question in
            """
            <Question><Id>\(question.id)</Id><Condition>\(question.condition)</Condition>\
            <AnswerCount>\(question.numberOfAnswers)</AnswerCount><PostedDate>\(question.date)</PostedDate>\
            <Content>\(question.text.escapedForXML)</Content><Url>\(question.url.escapedForXML)</Url>\
            <MobileUrl>\(question.mobileURL.escapedForXML)</MobileUrl></Question>\n
            """
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <ResultSet totalResults="\(total)" totalResultsReturned="\(questions.count)" firstResultPosition="\(first)">
            \(rows.joined())</ResultSet>\n
            """
    }

    /// The answer of the web API to a request that it rejects.
    public static func rejection(_ message: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Message>\(message.escapedForXML)</Message></Error>\n"
    }
}

extension String {
    /// The text with `&`, `<`, `>` and `"` escaped (Extensible Markup Language 1.0 §2.4).
    var escapedForXML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
