import IPCModel
import Testing

@Suite("Who may open an application's URLs")
struct AccessPolicyTests {
    private func source(_ id: String, _ strength: SourceStrength) -> Source {
        Source(application: id, strength: strength)
    }

    @Test("I19: only a source that the bus attests matches an allow rule", arguments: SourceStrength.allCases)
    func allowance(strength: SourceStrength) {
        let policy = AccessPolicy(allowsOthers: false, allowed: ["a.b"])
        #expect(policy.allows(source("a.b", strength)) == (strength == .owned))
        #expect(!policy.allows(source("a.c", strength)))
    }

    @Test(
        "A denied source is rejected at any strength, even if it is also allowed",
        arguments: SourceStrength.allCases)
    func refusal(strength: SourceStrength) {
        let policy = AccessPolicy(allowed: ["a.b"], refused: ["a.b"])
        #expect(!policy.allows(source("a.b", strength)))
        #expect(policy.allows(source("a.c", strength)))
    }

    @Test("A sender without a source falls under the default")
    func nobody() {
        #expect(AccessPolicy(refused: ["a.b"]).allows(.nobody))
        #expect(!AccessPolicy(allowsOthers: false, allowed: ["a.b"]).allows(.nobody))
    }

    @Test("An empty policy need not be stored")
    func open() {
        #expect(AccessPolicy().isOpen)
        #expect(!AccessPolicy(allowsOthers: false).isOpen && !AccessPolicy(refused: ["a.b"]).isOpen)
    }
}
