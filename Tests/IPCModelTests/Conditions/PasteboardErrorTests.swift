import IPCModel
import Testing

@Suite("PasteboardError")
struct PasteboardErrorTests {
    @Test("Each condition has its name on the wire and a sentence with the numbers in it")
    func table() throws {
        let name = PasteboardName("my board")
        let id = RequestID("0123456789abcdef")
        let rows: [(PasteboardError, IPCError.Code, [String])] = [
            (.noSuchPasteboard(name), .noSuchPasteboard, ["“my board”"]),
            (.changeCountMismatch(expected: 7, actual: .max), .changeCountMismatch, ["7", "18446744073709551615"]),
            (.noSuchVersion(name, 41), .noSuchItem, ["“my board”", "41", "HistoryLimit"]),
            (.noSuchItem(item: 3, count: 2), .noSuchItem, ["3", "2"]),
            (.noSuchRepresentation(item: 0, type: "image/png"), .noSuchItem, ["0", "“image/png”"]),
            (.identifierReused(id), .invalidArguments, ["“0123456789abcdef”"]),
            (.generalCannotBeRemoved, .accessDenied, ["“general”"]),
            (.notVisible(name, sandbox: "org.example.App"), .accessDenied, ["“my board”", "“org.example.App.”"]),
            (.notVisible(name, sandbox: nil), .accessDenied, ["“my board”", "sandbox"]),
            (.damaged(name, 9), .inputOutput, ["“my board”", "9"]),
        ]
        for (condition, code, parts) in rows {
            #expect(condition.ipcError.code == code)
            for part in parts { #expect(condition.description.contains(part), "\(condition)") }
            expectSentence(condition)
        }
        #expect(Set(rows.map(\.0.description)).count == rows.count)
    }
}
