import IPCModel
import Testing

@Suite("Who may open an application's URLs")
struct AccessPolicyTests {
    private func source(_ id: String, _ strength: SourceStrength) -> Source {
        Source(application: id, strength: strength)
    }

    @Test("I19: only a source that the bus attests matches an allowance", arguments: SourceStrength.allCases)
    func allowance(strength: SourceStrength) {
        let policy = AccessPolicy(allowsOthers: false, allowed: ["a.b"])
        #expect(policy.allows(source("a.b", strength)) == (strength == .owned))
        #expect(!policy.allows(source("a.c", strength)))
    }

    @Test(
        "A refused source is kept out whatever it is worth, also where it is allowed",
        arguments: SourceStrength.allCases)
    func refusal(strength: SourceStrength) {
        let policy = AccessPolicy(allowed: ["a.b"], refused: ["a.b"])
        #expect(!policy.allows(source("a.b", strength)))
        #expect(policy.allows(source("a.c", strength)))
    }

    @Test("Who states nothing is one of the others")
    func nobody() {
        #expect(AccessPolicy(refused: ["a.b"]).allows(.nobody))
        #expect(!AccessPolicy(allowsOthers: false, allowed: ["a.b"]).allows(.nobody))
    }

    @Test("A policy that says nothing need not be kept")
    func open() {
        #expect(AccessPolicy().isOpen)
        #expect(!AccessPolicy(allowsOthers: false).isOpen && !AccessPolicy(refused: ["a.b"]).isOpen)
    }
}
