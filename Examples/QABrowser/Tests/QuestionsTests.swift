import Foundation
import Testing

@testable import Questions

struct QuestionParserTests {
    private func parse(_ questions: String, total: String = "totalResults=\"1\"") throws -> QuestionParser.ResultSet {
        try QuestionParser.parse(Data("<?xml version=\"1.0\"?>\n<ResultSet \(total)>\n\(questions)</ResultSet>".utf8))
    }

    private func question(
        id: String = "7", condition: String = "open", answers: String = "3", content: String = "犬 &amp; 猫 &lt;🐾&gt;"
    ) -> String {
        """
        <Question><Id>\(id)</Id><Condition>\(condition)</Condition><AnswerCount>\(answers)</AnswerCount>\
        <PostedDate>2012-03-04</PostedDate><Content>\(content)</Content></Question>

        """
    }

    @Test func aQuestionIsReadCompletely() throws {
        let read = try parse(question(), total: "totalResults=\"240\"")
        #expect(read.total == 240)
        #expect(
            read.questions == [
                Question(id: 7, text: "犬 & 猫 <🐾>", condition: .open, numberOfAnswers: 3, date: "2012-03-04")
            ])
    }

    @Test func anEmptyResultIsValid() throws {
        #expect(try parse("", total: "totalResults=\"0\"") == .init(total: 0, questions: []))
    }

    @Test func aMistakeIsReportedWithItsLine() throws {
        #expect(throws: QuestionParser.Flaw(line: 3, reason: "“x” is not a valid Id")) { try parse(question(id: "x")) }
        #expect(throws: QuestionParser.Flaw(line: 4, reason: "“lost” is not a valid Condition")) {
            try parse(question() + question(condition: "lost"))
        }
        #expect(throws: QuestionParser.Flaw(line: 3, reason: "“” is not a valid Content")) {
            try parse(question(content: ""))
        }
        #expect(throws: QuestionParser.Flaw(line: 3, reason: "a question has no Id")) {
            try parse("<Question></Question>")
        }
        #expect(throws: QuestionParser.Flaw.self) { try parse(question(), total: "") }
    }

    @Test(arguments: ["", "no xml", "<ResultSet totalResults=\"1\"><Question><Id>7</Id>"])
    func truncatedOutputIsNotAnAnswer(_ text: String) {
        #expect(throws: QuestionParser.Flaw.self) { try QuestionParser.parse(Data(text.utf8)) }
    }
}

struct QuestionLibraryTests {
    private let library = QuestionLibrary(
        ["Learning Swift", "カレーの作り方", "京都の天気は？", "Swift と京都"].enumerated().map {
            Question(id: $0.offset, text: $0.element, condition: .open, numberOfAnswers: 0, date: "2012-03-04")
        })

    private func ids(_ query: String) -> [Int] { library.search(query).map(\.id) }

    @Test func everyWordMustMatchAndTheNewestIsFirst() {
        #expect(ids("swift") == [3, 0])
        #expect(ids("swift 京都") == [3])
        #expect(ids("京都　swift") == [3], "a Japanese space is a space")
        #expect(ids("swift カレー") == [])
        #expect(ids(" ") == [3, 2, 1, 0])
    }

    @Test func searchIgnoresTheWidthOfLetters() {
        #expect(ids("ＳＷＩＦＴ") == [3, 0])
        #expect(ids("ｶﾚｰ") == [1])
        #expect(ids("天気は?") == [2])
    }

    @Test func theBundledQuestionsAreComplete() throws {
        let library = try QuestionLibrary.bundled()
        #expect(library.count == 2400)
        #expect(Set(library.search("").map(\.id)).count == 2400)
        let kyoto = library.search("京都")
        #expect(kyoto.count > 40 && kyoto.allSatisfy { $0.text.contains("京都") })
        #expect(library.question(1_000_001)?.date == "2010-04-03" && library.question(1) == nil)
    }
}

struct ResultPageTests {
    private func page(_ count: Int, from: Int) -> ResultPage {
        let questions = (0..<count).map {
            Question(id: $0, text: "q", condition: .open, numberOfAnswers: 0, date: "2012-03-04")
        }
        return ResultPage(questions, query: "q", from: from)
    }

    @Test(
        arguments: [
            (0, 0, "nothing found", nil, 0), (1, 0, "1–1 of 1", nil, 1), (20, 0, "1–20 of 20", nil, 20),
            (21, 0, "1–20 of 21", "next 1", 21), (21, 20, "21–21 of 21", nil, 1),
            (90, 20, "21–40 of 90", "next 20", 21),
            (21, 99, "21–21 of 21", nil, 1), (40, 99, "21–40 of 40", nil, 20), (40, -5, "1–20 of 40", "next 20", 21),
        ] as [(Int, Int, String, String?, Int)])
    func showsTwentyAndLinksToTheRest(_ count: Int, _ from: Int, _ range: String, _ next: String?, _ rows: Int) {
        let page = page(count, from: from)
        #expect(page.range == range && page.nextRow == next && page.rowCount == rows)
    }
}
