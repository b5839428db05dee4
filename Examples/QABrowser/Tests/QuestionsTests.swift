import QuestionArchive
import Testing

@testable import Questions

private func question(_ id: Int, _ text: String = "q", answers: Int = 0) -> Question {
    Question(id: id, text: text, condition: .open, numberOfAnswers: answers, date: "2012-03-04")
}

struct QuestionParserTests {
    private func parse(
        _ questions: String, attributes: String = "totalResults=\"1\" firstResultPosition=\"1\""
    ) throws -> ResultSet {
        try QuestionParser.parse(
            Array("<?xml version=\"1.0\"?>\n<ResultSet \(attributes)>\n\(questions)</ResultSet>".utf8))
    }

    private func question(
        id: String = "7", condition: String = "open", answers: String = "3", content: String = "犬 &amp; 猫 &lt;🐾&gt;"
    ) -> String {
        """
        <Question><Id>\(id)</Id><Condition>\(condition)</Condition><AnswerCount>\(answers)</AnswerCount>\
        <PostedDate>2012-03-04</PostedDate><Content>\(content)</Content></Question>

        """
    }

    @Test func `a question is read completely`() throws {
        let read = try parse(question(), attributes: "totalResults=\"240\" firstResultPosition=\"21\"")
        #expect(read.total == 240 && read.first == 21)
        #expect(
            read.questions == [
                Question(id: 7, text: "犬 & 猫 <🐾>", condition: .open, numberOfAnswers: 3, date: "2012-03-04")
            ])
    }

    @Test func `a section of CDATA is text`() throws {
        #expect(try parse(question(content: "a <![CDATA[<b> & ]]>c")).questions.map(\.text) == ["a <b> & c"])
    }

    @Test(arguments: ["SYSTEM \"file:///etc/passwd\"", "\"text\""])
    func `a document that declares entities is rejected`(_ entity: String) {
        let answer = """
            <!DOCTYPE ResultSet [<!ENTITY e \(entity)>]>
            <ResultSet totalResults="1" firstResultPosition="1">\(question(content: "a&e;b"))</ResultSet>
            """
        #expect(throws: XMLFlaw(line: 1, reason: "it declares entities")) {
            try QuestionParser.parse(Array(answer.utf8))
        }
    }

    @Test func `what the server writes is what the parser reads`() throws {
        var asked = Questions.Question(
            id: 7, text: "“犬” & \"猫\" <🐾>", condition: .solved, numberOfAnswers: 0, date: "2012-03-04")
        (asked.url, asked.mobileURL) = ("http://127.0.0.1/question/7?a=1&b=2", "http://127.0.0.1/m/7")
        for results in [ResultSet(total: 9, first: 3, questions: [asked]), .init(total: 0, first: 1, questions: [])] {
            #expect(try QuestionParser.parse(Array(results.xml.utf8)) == results)
        }
        #expect(throws: QuestionParser.Rejection(description: "a < b & c")) {
            try QuestionParser.parse(Array(ResultSet.rejection("a < b & c").utf8))
        }
    }

    @Test func `a mistake is reported with its line`() throws {
        #expect(throws: XMLFlaw(line: 3, reason: "“x” is not a valid Id")) { try parse(question(id: "x")) }
        #expect(throws: XMLFlaw(line: 4, reason: "“lost” is not a valid Condition")) {
            try parse(question() + question(condition: "lost"))
        }
        #expect(throws: XMLFlaw(line: 3, reason: "“-1” is not a valid AnswerCount")) {
            try parse(question(answers: "-1"))
        }
        #expect(throws: XMLFlaw(line: 3, reason: "“” is not a valid Content")) { try parse(question(content: "")) }
        #expect(throws: XMLFlaw(line: 3, reason: "a question has no Id")) { try parse("<Question></Question>") }
        #expect(throws: XMLFlaw.self) { try parse(question(), attributes: "") }
    }

    @Test(arguments: ["garbage", "<ResultSet/>", "<Question/>", "&amp;", "<![CDATA[x]]>", "\n x"])
    func `nothing may follow the root element`(_ rest: String) throws {
        let answer = ResultSet(total: 0, first: 1, questions: []).xml
        #expect(throws: XMLFlaw.self) { try QuestionParser.parse(Array((answer + rest).utf8)) }
        for rest in ["", "\n", "<!-- a comment -->\n"] { _ = try QuestionParser.parse(Array((answer + rest).utf8)) }
    }

    @Test(arguments: [
        "", "no xml", "<ResultSet totalResults=\"1\" firstResultPosition=\"1\"><Question><Id>7</Id>", "<html></html>",
    ])
    func `truncated or other output is not an answer`(_ text: String) {
        #expect(throws: XMLFlaw.self) { try QuestionParser.parse(Array(text.utf8)) }
    }
}

struct PageTextTests {
    private func lines(_ body: String) throws -> [PageText.Paragraph] {
        let html = "<html><head><title>t</title></head><body>\(body)</body></html>"
        return try PageText(html: Array(html.utf8)).paragraphs
    }

    @Test func `each block is a paragraph, and spaces count once`() throws {
        #expect(
            try lines("<h1>犬 &amp;\n  猫</h1>\n<p>a <b>b</b>c<br/> d </p><ul><li>e</li><li>f</li></ul><p>  </p>") == [
                .init(.heading, "犬 & 猫"), .init(.text, "a bc\nd"), .init(.text, "e"), .init(.text, "f"),
            ])
        #expect(
            try lines("<p><small>x</small></p><p>y<img src=\"z\"/></p>") == [.init(.small, "x"), .init(.text, "y")])
    }

    @Test func `scripts and styles are left out`() throws {
        #expect(try lines("<style>p { }</style><script>1 &lt; 2</script>z") == [.init(.text, "z")])
    }

    @Test func `the pages of the server can be read`() throws {
        let library = try QuestionLibrary.bundled()
        for question in library.search("").prefix(200) {
            let page = try PageText(html: Array(question.page.utf8)).paragraphs
            #expect(page.first == .init(.heading, question.text))
            #expect(page.count == 2 + 2 * question.numberOfAnswers)
            #expect(try PageText(html: Array(question.mobilePage.utf8)).paragraphs.count == 3)
        }
    }

    @Test func `a page that is not well-formed is an error`() {
        #expect(throws: XMLFlaw.self) { try lines("<p>a<br>b</p>") }
        #expect(throws: XMLFlaw.self) { try PageText(html: Array("<html><p>a</p></html><p>b</p>".utf8)) }
    }
}

struct QuestionLibraryTests {
    private let library = QuestionLibrary(
        ["Learning Swift", "カレーの作り方", "京都の天気は？", "Swift と京都"].enumerated().map { question($0, $1) })

    private func ids(_ query: String) -> [Int] { library.search(query).map(\.id) }

    @Test func `every word must match, and the newest is first`() {
        #expect(ids("swift") == [3, 0])
        #expect(ids("swift 京都") == [3])
        #expect(ids("京都　swift") == [3], "a Japanese space is a space")
        #expect(ids("swift カレー") == [])
        #expect(ids(" ") == [3, 2, 1, 0])
    }

    @Test func `the width of letters makes no difference`() {
        #expect(ids("ＳＷＩＦＴ") == [3, 0])
        #expect(ids("ｶﾚｰ") == [1])
        #expect(ids("天気は?") == [2])
    }

    @Test func `the bundled questions are complete`() throws {
        let library = try QuestionLibrary.bundled()
        #expect(Set(library.search("").map(\.id)).count == 2400)
        let kyoto = library.search("京都")
        #expect(kyoto.count > 40 && kyoto.allSatisfy { $0.text.contains("京都") })
        #expect(library.question(1_000_001)?.date == "2010-04-03" && library.question(1) == nil)
    }
}
