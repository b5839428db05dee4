import IPCModel
import Testing

/// Names and ids that are written as literals in a program's source.
struct CheckedNameTests {
    @Test func aLiteralThatIsNoNameIsAMistakeOfTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = ApplicationID(stringLiteral: "nodots") }
        await #expect(processExitsWith: .failure) { _ = URLScheme(stringLiteral: "no scheme") }
        await #expect(processExitsWith: .failure) { _ = RequestID(stringLiteral: "short") }
        await #expect(processExitsWith: .failure) { _ = PasteboardName(stringLiteral: "") }
    }

    @Test func aLiteralThatIsANameNeedsNoTry() {
        #expect(("org.example.Notes" as ApplicationID).text == "org.example.Notes")
        #expect(("org.example.notes" as URLScheme).text == "org.example.notes")
        #expect(("0123456789abcdef" as RequestID).text == "0123456789abcdef")
        #expect(("a board" as PasteboardName).text == "a board")
    }
}
