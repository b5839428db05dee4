import Testing

@testable import IPCModel

@Suite("Source")
struct SourceTests {
    @Test(
        "A source has an application id, the id of a sandbox, or none",
        arguments: [
            ("demo.Writer", [SourceStrength.owned, .claimed, .sandboxed]), ("", [.unknown]),
            // The names of some snaps start with a digit; those of their components follow a plus sign.
            ("snap.0ad", [.sandboxed]), ("snap.0ad_two+extra", [.sandboxed]),
            ("snap.firefox", [.owned, .claimed, .sandboxed]),
            ("x", []), ("-rf", []), (" ", []), ("../../etc/passwd", []), ("snap.", []), ("snap.0ad.x", []),
            ("snap.a b", []), ("snap.\u{1B}[2J", []), ("snap.\u{E9}", []),
            ("snap." + String(repeating: "a", count: 251), []),
        ] as [(String, [SourceStrength])])
    func ids(id: String, strengths: [SourceStrength]) {
        #expect(Set(SourceStrength.allCases.filter { $0.allows(id: id) }) == Set(strengths))
        #expect(Source.canHave(id: id) == !strengths.isEmpty)
    }
}
