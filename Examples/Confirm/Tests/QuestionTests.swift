import Confirmations
import IPC
import SceneManager
import Terminal
import Testing

@Suite struct QuestionTests {
    private let alert: URLParameters = [
        "title": "Delete?", "message": "All of it.", "cancel": "Keep", "other": "Delete",
    ]
    private let sheet: URLParameters = [
        "style": "sheet", "title": "Photo 犬", "destructive": "Delete", "other": "Move", "cancel": "Keep",
    ]

    /// The index of the button that the keys choose; `nil` if they choose none.
    private func pressed(_ keys: [Key], _ parameters: URLParameters) throws -> Int? {
        var question = Question(try AlertRequest(parameters))
        for key in keys {
            if let index = question.press(key) { return index }
        }
        return nil
    }

    @Test func `letters, arrows and Enter choose a button of an alert`() throws {
        #expect(try pressed([.character("d")], alert) == 1)
        #expect(try pressed([.character("K")], alert) == 0)
        #expect(try pressed([.enter], alert) == 0, "the cancel button is selected at first")
        #expect(try pressed([.right, .enter], alert) == 1 && pressed([.right, .left, .enter], alert) == 0)
        #expect(try pressed([.character("x"), .delete, .control("c")], alert) == nil)
    }

    @Test func `arrows move up and down in a sheet`() throws {
        #expect(try pressed([.up, .enter], sheet) == 1 && pressed([.down, .enter], sheet) == 0)
        #expect(try pressed([.up, .up, .down, .enter], sheet) == 1)
        #expect(try pressed([.character("d")], sheet) == 0 && pressed([.enter], sheet) == 2)
    }

    @Test func `Escape is the cancel button, or nothing without one`() throws {
        #expect(try pressed([.escape], alert) == 0 && pressed([.escape], sheet) == 2)
        #expect(try pressed([.escape], ["title": "?", "other": "A", "other": "B"]) == nil)
        #expect(try pressed([.escape, .right, .enter], ["title": "?", "other": "A", "other": "B"]) == 1)
    }

    @Test func `the reply is the index and the label`() throws {
        let reply = Question(try AlertRequest(sheet)).reply(1)
        #expect(reply.map(\.string) == ["1", "Move"])
    }

    @Test func `an alert is drawn in the middle, a sheet at the bottom`() throws {
        let canvas = Canvas(size: TerminalSize(columns: 40, rows: 12))
        func rows(_ parameters: URLParameters) throws -> [String] {
            let drawn = Question(try AlertRequest(parameters)).over(canvas)
            return (0..<12).map { drawn.text(row: $0) }
        }
        let box = try rows(alert)
        #expect(box[0].isEmpty && box[11].isEmpty && box.contains { $0.contains("[Keep: k]  [Delete: d]") })
        let list = try rows(sheet)
        #expect(list[7...] == ["  Photo 犬", list[6], "  [d] Delete", "  [m] Move", "  [k] Keep"])
        #expect(list[6].hasPrefix("  ──") && list[5].isEmpty)
    }

    @Test func `on a low screen, the buttons of a sheet are visible`() throws {
        let drawn = Question(try AlertRequest(sheet)).over(Canvas(size: TerminalSize(columns: 10, rows: 2)))
        #expect((0..<2).map { drawn.text(row: $0) } == ["  [m] Move", "  [k] Keep"])
    }
}
