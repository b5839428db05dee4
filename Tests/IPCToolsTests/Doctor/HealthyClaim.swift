import IPCInterface

@testable import IPC

extension Handler {
    /// The claim of an application to a scheme, as in a healthy session. The application is not running.
    static func healthy(isActivatable: Bool = true) -> Handler {
        var facts = ClaimFacts()
        (facts.application, facts.kind) = ("org.example.Well", "persistent")
        (facts.handler, facts.running, facts.activatable) = (true, false, isActivatable)
        return Handler(facts, scheme: "Well.example")
    }
}
