import Testing

@testable import IPCModel

@Suite("Application ids of desktop entries")
struct DesktopEntryNameTests {
    @Test(arguments: [
        ("firefox.desktop", "firefox.desktop"), ("org.mozilla.firefox.desktop", "org.mozilla.firefox.desktop"),
        ("7zip.desktop", "_7zip.desktop"), ("a+b c.desktop", "a_b_c.desktop"), ("org..x.desktop", "org.x.desktop"),
        ("plain", "plain.desktop"), ("", "some.desktop"), ("x.", "some.desktop"), ("é.desktop", "__.desktop"),
    ])
    func anIDIsAsCloseToTheEntryAsTheGrammarAllows(entry: String, id: String) throws {
        #expect(ApplicationID(desktopEntry: entry).text == id)
        // The expected text is itself a valid application id.
        #expect(try ApplicationID(id).text == id)
    }

    @Test func aLongNameIsShortened() {
        let id = ApplicationID(desktopEntry: String(repeating: "x", count: 1_000))
        #expect(id.text.utf8.count <= ApplicationID.maximumBytes && id.text.hasSuffix(".desktop"))
    }

    @Test func aURLForTheDesktopCanBeOpenedButNotQueued() throws {
        let nobody = URLRouter.resolve(
            try URLText("desk.example:x"), in: SchemeRegistry(limits: Limits()), running: { _ in false },
            activatable: { _ in false })
        let given = nobody.given(toDesktop: ApplicationID(desktopEntry: "firefox.desktop"), running: false)
        #expect(given.canOpen && !given.queueable && given.reason == .desktopDefault)
        #expect(!nobody.canOpen && nobody.application == nil)
        try given.acceptance()
    }
}
