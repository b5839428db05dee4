import IPCModel
import Testing

@Suite("PasteboardVisibility")
struct PasteboardVisibilityTests {
    private static let rows: [(name: String, sees: Bool)] = [
        ("org.example.App", true), ("org.example.App.", true), ("org.example.App.drafts", true),
        ("org.example.App.drafts.1", true), ("org.example.App..", true),
        ("org.example.Ap", false), ("org.example.Application", false), ("org.example.App-2", false),
        ("org.example.App2", false), ("org.example", false), ("org.example.app", false), ("general", false),
        ("Xorg.example.App", false), (" org.example.App", false), ("org.example.App ", false),
        ("org.example.App/x", false), ("org.example.Äpp", false), ("unique-0123", false),
        // A combining accent after the id makes a different name, because names are compared by their bytes.
        ("org.example.App\u{301}", false), ("org.example.App\u{301}.x", false),
    ]

    @Test("A sandboxed caller sees only the pasteboards of its id", arguments: rows)
    func sandbox(name: String, sees: Bool) throws {
        let name = try PasteboardName(name)
        let visibility = PasteboardVisibility.sandbox("org.example.App")
        #expect(visibility.allows(name) == sees)
        #expect(!visibility.isWhole)
        if sees {
            try visibility.check(name)
        } else {
            #expect(throws: PasteboardError.notVisible(name, sandbox: "org.example.App")) { try visibility.check(name) }
        }
        // Callers outside a sandbox see every pasteboard, and sandboxed callers without an id see none.
        #expect(PasteboardVisibility.whole.allows(name) && PasteboardVisibility.whole.isWhole)
        #expect(!PasteboardVisibility.sandbox(nil).allows(name) && !PasteboardVisibility.sandbox("").allows(name))
    }

    @Test("Names are compared by their bytes, not by how they look")
    func bytes() throws {
        let composed = PasteboardVisibility.sandbox("org.example.caf\u{e9}")
        #expect(composed.allows(PasteboardName("org.example.caf\u{e9}.x")))
        #expect(!composed.allows(PasteboardName("org.example.cafe\u{301}.x")))
    }

    @Test("A caller sees the unique pasteboards that it created, whatever its sandbox")
    func made() throws {
        let (mine, other) = (PasteboardName.unique(), PasteboardName.unique())
        for id in ["org.example.App", nil] {
            let visibility = PasteboardVisibility.sandbox(id, made: [mine])
            #expect(visibility.allows(mine) && !visibility.allows(other) && !visibility.allows(.general))
        }
    }

    @Test func `the search ranges of a sandbox cover everything that it sees, and little else`() throws {
        let made = PasteboardName("unique-1")
        let visibility = PasteboardVisibility.sandbox("org.example.App", made: [made])
        let own = PasteboardName("org.example.App")
        #expect(PasteboardVisibility.whole.places(beginning: "") == nil)
        for (prefix, names, below) in [
            ("", [own, made], "org.example.App."), ("org.", [own], "org.example.App."),
            ("org.example.App.a", [], "org.example.App.a"), ("unique", [made], nil), ("org.other", [], nil),
        ] as [(String, [PasteboardName], String?)] {
            let places = try #require(visibility.places(beginning: prefix))
            #expect(places.names == names && places.prefix == below, "\(prefix)")
        }
        let unknown = try #require(PasteboardVisibility.sandbox(nil, made: [made]).places(beginning: ""))
        #expect(unknown.names == [made] && unknown.prefix == nil)
    }
}
