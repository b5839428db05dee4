import IPCDBus
import IPCModel
import Testing

@testable import IPCBroker

/// Tests in which the bus's signals and answers about the owner of a name arrive in any order.
struct NameOwnersTests {
    private let app: ApplicationID = "demo.Handler"
    private let first: BusName = ":1.1"
    private let second: BusName = ":1.2"

    @Test func anAnswerOvertakenByASignalIsIgnored() {
        var owners = NameOwners()
        // The handler appears and leaves again before the answer to the earlier query is processed.
        let question = owners.ask(app)
        owners.change(app, to: first)
        owners.change(app, to: nil)
        owners.answer(question, first)
        #expect(owners[app] == nil)
        // Negative control: without a signal in between, the answer counts.
        owners.answer(owners.ask(app), second)
        #expect(owners[app] == .known(second))
    }

    @Test func aSignalOverridesAnyAnswer() {
        var owners = NameOwners()
        owners.change(app, to: first)
        owners.answer(owners.ask(app), second)
        #expect(owners[app] == .known(first))
        let question = owners.ask(app)
        owners.change(app, to: second)
        owners.answer(question, nil)
        #expect(owners[app] == .known(second))
    }

    @Test func eachQueryIsAnsweredAlthoughANewerOneIsOpen() {
        var owners = NameOwners()
        owners.list(app)
        let (old, new) = (owners.ask(app), owners.ask(app))
        // A queue that has asked first uses the answer at once, and nobody tells it about the later answer.
        owners.answer(old, first)
        #expect(owners[app] == .known(first))
        owners.answer(new, second)
        #expect(owners[app] == .known(first))
        owners.forget(app, owner: second)
        #expect(owners[app] == .known(first))
        owners.forget(app, owner: first)
        #expect(owners[app] == nil)
    }

    @Test func aFailedQueryLeavesTheOthersOpen() {
        var owners = NameOwners()
        owners.list(app)
        let (old, new) = (owners.ask(app), owners.ask(app))
        owners.drop(old)
        owners.answer(new, first)
        #expect(owners[app] == .known(first))
    }

    @Test func aQueryFromBeforeASignalIsIgnoredBesideANewerOne() {
        var owners = NameOwners()
        let old = owners.ask(app)
        owners.change(app, to: first)
        owners.change(app, to: nil)
        let new = owners.ask(app)
        owners.answer(old, first)
        #expect(owners[app] == nil)
        owners.drop(old)
        owners.answer(new, second)
        #expect(owners[app] == .known(second))
    }

    @Test func aListedNameIsUnknownUntilItIsQueried() {
        var owners = NameOwners()
        owners.list(app)
        #expect(owners[app] == .unknown)
        owners.drop(owners.ask(app))
        #expect(owners[app] == .unknown)
        owners.answer(owners.ask(app), nil)
        #expect(owners[app] == nil)
        owners.change(app, to: first)
        owners.list(app)
        #expect(owners[app] == .known(first))
    }
}
