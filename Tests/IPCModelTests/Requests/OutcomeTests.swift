import IPCModel
import Testing

@Suite("Outcome and source")
struct OutcomeTests {
    private static let rows: [(outcome: Outcome, word: String, exitCode: Int32)] = [
        (.handled, "handled", 0), (.delivered, "delivered", 0), (.queued, "queued", 0), (.declined, "declined", 1),
        (.cancelled, "cancelled", 2), (.unavailable, "unavailable", 69), (.failed, "failed", 70),
        (.timedOut, "timed-out", 75), (.expired, "expired", 75),
    ]

    @Test("Every outcome has its wire name and its exit code", arguments: rows)
    func words(outcome: Outcome, word: String, exitCode: Int32) {
        #expect(outcome.rawValue == word)
        #expect(Outcome(rawValue: word) == outcome)
        #expect(outcome.exitCode == exitCode)
    }

    @Test("The table is complete, and only queued is not final")
    func ends() {
        #expect(Set(Self.rows.map(\.outcome)) == Set(Outcome.allCases))
        #expect(Outcome.allCases.filter { !$0.isEnd } == [.queued])
    }

    @Test("A source shows its strength")
    func source() {
        #expect(Source(application: "demo.IPCClient", strength: .claimed).description == "demo.IPCClient (claimed)")
        #expect(Source(application: "", strength: .unknown).description == "unknown")
        #expect(SourceStrength.allCases.map(\.rawValue) == ["owned", "sandboxed", "claimed", "unknown"])
    }
}
