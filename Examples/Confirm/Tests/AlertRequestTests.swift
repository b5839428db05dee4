import Confirmations
import IPC
import SceneManager
import Testing

@Suite struct AlertRequestTests {
    private func request(_ url: String) throws -> AlertRequest { try AlertRequest(URLParts(of: url).parameters) }
    private func request(_ parameters: URLParameters) throws -> AlertRequest { try AlertRequest(parameters) }

    @Test func `an alert has its cancel button first, as a UIAlertView`() throws {
        let asked = try request(
            "confirm://?title=Delete%203%20files%3F&message=No%20way%20back.&other=Delete&cancel=Keep")
        #expect(asked.style == .alert && asked.title == "Delete 3 files?" && asked.message == "No way back.")
        #expect(asked.buttons.map(\.label) == ["Keep", "Delete"])
        #expect(asked.cancelIndex == 0)
        #expect(asked.alert.harmless == 0 && asked.alert.selected == 0)
    }

    @Test func `a sheet has its destructive button first and its cancel button last, as a UIActionSheet`() throws {
        let asked = try request(
            "confirm://?style=sheet&title=犬&cancel=Keep&other=Move&destructive=Delete&other=Copy")
        #expect(asked.buttons.map(\.label) == ["Delete", "Move", "Copy", "Keep"])
        #expect(asked.buttons.map(\.role) == [.destructive, .other, .other, .cancel])
        #expect(asked.cancelIndex == 3 && asked.alert.harmless == 3)
    }

    @Test func `each button has its own key, from its label if possible`() throws {
        let parameters: URLParameters = [
            "style": "sheet", "title": "?", "other": "Delete", "other": "delay", "other": "犬", "other": "猫",
            "other": "0", "cancel": "DEL",
        ]
        #expect(try request(parameters).alert.choices.map(\.key) == ["d", "e", "0", "1", "2", "l"])
    }

    @Test(
        arguments: [
            (["cancel": "Keep"], "no title"), (["title": " ", "cancel": "Keep"], "title is empty"),
            (["title": "\u{200B}", "cancel": "Keep"], "title is empty"),
            (["title": "a", "cancel": "b", "other": "\u{2060} \u{301}"], "other is empty"),
            (["title": "Delete?"], "no buttons"), (["title": "Delete?", "message": "Now."], "no buttons"),
            (["title": "a\u{1B}[2J", "cancel": "b"], "title contains a control character; remove it: “a␛[2J”"),
            (["title": "a\nb", "cancel": "c"], "title contains a control character"),
            (["title": "a", "cancel": "b\u{202E}"], "cancel contains a control character"),
            (["title": "a", "message": "b\u{7}", "cancel": "c"], "message contains a control character"),
            (["title": "a", "cancel": "b", "other": "c\t"], "other contains a control character"),
            (["title": "a", "cancel": "b", "other": ""], "other is empty"),
            (["title": "a", "cancel": "b", "destructive": "c"], "add style=sheet"),
            (["title": "a", "cancel": "b", "style": "menu"], "style must be alert or sheet, not “menu”"),
            (["title": "a", "cancel": "b", "button": "c"], "unknown parameter “button”"),
            (["title": "a", "title": "b", "cancel": "c"], "title occurs twice"),
            (["title": "a", "cancel": "b", "other": "12345678901234567890"], "other is too long: use at most 18"),
        ] as [(URLParameters, String)])
    func `an invalid question is rejected with the reason`(parameters: URLParameters, reason: String) {
        let error = #expect(throws: InvalidAlertRequest.self) { try request(parameters) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: ["confirm://host/path?", "confirm://host?", "confirm:path?", "confirm:/?", "confirm:///a?"])
    func `a URL with a host or a path is rejected`(url: String) throws {
        func asked(_ url: String) throws -> AlertRequest {
            let parts = try URLParts(of: url + "title=a&cancel=b")
            return try AlertRequest(host: parts.host, path: parts.path, parameters: parts.parameters)
        }
        let error = #expect(throws: InvalidAlertRequest.self) { try asked(url) }
        #expect(error?.description.contains("text before “?”") == true)
        for url in ["confirm://?", "confirm:?"] { #expect(try asked(url).title == "a") }
    }

    @Test func `the number of buttons and the length of texts are limited`() throws {
        var parameters: URLParameters = ["title": "?", "cancel": "no", "other": "1", "other": "2"]
        #expect(try request(parameters).buttons.count == 3)
        parameters = URLParameters(parameters + [.init(name: "other", value: "3")])
        let error = #expect(throws: InvalidAlertRequest.self) { try request(parameters) }
        #expect(error?.description == "4 buttons are too many: style=alert has up to 3; style=sheet has up to 8")
        parameters["style"] = "sheet"
        #expect(try request(parameters).buttons.count == 4)
        parameters = URLParameters(parameters + (4...8).map { .init(name: "other", value: "\($0)") })
        #expect(throws: InvalidAlertRequest.self) { try request(parameters) }

        let (short, long) = (String(repeating: "犬", count: 35), String(repeating: "犬", count: 36))
        #expect(throws: Never.self) { try request(["title": short, "cancel": "x"]) }
        #expect(throws: InvalidAlertRequest.self) { try request(["title": long, "cancel": "x"]) }
        let lines = String(repeating: "line\n", count: 11)
        #expect(try request(["title": "a", "message": lines, "cancel": "x"]).message == lines)
        parameters = ["title": "a", "message": lines + "1\n2", "cancel": "x"]
        #expect(throws: InvalidAlertRequest.self) { try request(parameters) }
    }
}
