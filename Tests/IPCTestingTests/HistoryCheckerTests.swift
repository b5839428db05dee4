import IPCTesting
import Testing

@Suite struct HistoryCheckerTests {
    /// Makes a history in which each operation starts after the previous one is complete.
    private func history(_ steps: (History.Action, History.Result)...) -> History {
        var history = History()
        for (action, result) in steps {
            let number = history.invoke(action)
            if result != .unknown { history.respond(number, result) }
        }
        return history
    }

    private func set(_ text: String?, on board: String = "a") -> History.Action {
        .set(board: board, text.map { Array($0.utf8) })
    }

    private func value(_ count: UInt64, _ text: String?) -> History.Result {
        .value(count: count, text.map { Array($0.utf8) })
    }

    private func kinds(_ history: History) -> [HistoryViolation.Kind] { HistoryChecker.check(history).map(\.kind) }

    private let get = History.Action.get(board: "a")
    private let list = History.Action.list(collection: "c")
    private func add(_ text: String) -> History.Action { .add(collection: "c", Array(text.utf8)) }
    private func elements(_ texts: String...) -> History.Result { .elements(texts.map { Array($0.utf8) }) }

    @Test func `acknowledged writes that are read are correct`() {
        #expect(kinds(history((get, value(0, nil)))) == [])
        #expect(
            kinds(
                history(
                    (set("one"), .acknowledged(count: 4)), (get, value(4, "one")),
                    (set("b", on: "b"), .acknowledged(count: 5)),
                    (set(nil), .acknowledged(count: 9)), (get, value(9, nil)))) == [])
    }

    @Test func `an unanswered write is complete or absent, also later`() {
        let absent = history((set("one"), .acknowledged(count: 1)), (set("two"), .unknown), (get, value(1, "one")))
        let whole = history((set("one"), .acknowledged(count: 1)), (set("two"), .unknown), (get, value(2, "two")))
        let later = history(
            (set("one"), .acknowledged(count: 1)), (set("two"), .unknown), (get, value(1, "one")),
            (get, value(2, "two")), (get, value(2, "two")))
        for history in [absent, whole, later] { #expect(kinds(history) == []) }
    }

    @Test func `an empty pasteboard may be read before the first write`() {
        #expect(kinds(history((get, value(2, nil)), (set("one"), .unknown), (get, value(2, nil)))) == [])
        #expect(kinds(history((set("one"), .unknown), (get, value(2, nil)))) == [.torn])
    }

    @Test func `a lost acknowledged write is found`() {
        #expect(kinds(history((set("one"), .acknowledged(count: 1)), (get, value(0, nil)))) == [.lost])
        #expect(
            kinds(
                history(
                    (set("one"), .acknowledged(count: 1)), (set("two"), .acknowledged(count: 2)), (get, value(1, "one"))
                ))
                == [.lost])
        let covered = history(
            (set("one"), .unknown), (set("two"), .acknowledged(count: 2)), (get, value(1, "one")))
        #expect(kinds(covered) == [.lost])
    }

    @Test func `a decreasing count is found`() {
        #expect(
            kinds(
                history(
                    (set("one"), .acknowledged(count: 5)), (set("two"), .unknown), (get, value(7, "two")),
                    (get, value(5, "one")))) == [.countFell])
        #expect(
            kinds(history((set("one"), .acknowledged(count: 5)), (set("two", on: "b"), .acknowledged(count: 4))))
                == [.countFell])
    }

    @Test func `a count used twice is found, also on two pasteboards`() {
        #expect(
            kinds(history((set("one"), .acknowledged(count: 5)), (set("two", on: "b"), .acknowledged(count: 5))))
                .contains(.countUsedTwice))
        #expect(
            kinds(
                history(
                    (set("one", on: "b"), .acknowledged(count: 5)), (set("two"), .unknown), (get, value(5, "two"))))
                == [.countUsedTwice])
    }

    @Test func `a torn value is found`() {
        #expect(kinds(history((set("one two"), .unknown), (get, value(1, "one")))) == [.torn])
        #expect(kinds(history((set("one"), .acknowledged(count: 1)), (get, value(1, "on")))) == [.mixed])
        #expect(kinds(history((get, value(1, "x")))) == [.torn])
    }

    @Test func `a write that took effect twice is found`() {
        #expect(
            kinds(history((set("one"), .acknowledged(count: 1)), (get, value(2, "one")))) == [.duplicated])
        #expect(
            kinds(history((set("one"), .unknown), (get, value(1, "one")), (get, value(2, "one")))) == [.duplicated])
    }

    @Test func `a refused write that took effect is found`() {
        #expect(kinds(history((set("one"), .refused), (get, value(0, nil)))) == [])
        #expect(kinds(history((set("one"), .refused), (get, value(1, "one")))) == [.refusedButApplied])
        #expect(kinds(history((add("x"), .refused), (list, elements("x")))) == [.refusedButApplied])
    }

    @Test func `concurrent writes may have either order, but later ones may not`() {
        var history = History()
        let first = history.invoke(set("one"))
        let second = history.invoke(set("two", on: "b"))
        let read = history.invoke(get)
        history.respond(second, .acknowledged(count: 1))
        history.respond(first, .acknowledged(count: 2))
        history.respond(read, value(0, nil))
        #expect(kinds(history) == [])
        let third = history.invoke(set("three"))
        history.respond(third, .acknowledged(count: 2))
        #expect(Set(kinds(history)) == [.countFell, .countUsedTwice])
    }

    @Test func `collections contain each acknowledged item once`() {
        let good = history(
            (add("one"), .acknowledged(count: nil)), (add("two"), .unknown), (list, elements("two", "one")),
            (list, elements("one", "two")))
        #expect(kinds(good) == [])
        #expect(kinds(history((add("one"), .acknowledged(count: nil)), (list, elements()))) == [.lost])
        #expect(kinds(history((add("one"), .unknown), (list, elements("one")), (list, elements()))) == [.lost])
        #expect(kinds(history((add("one"), .unknown), (list, elements("one", "one")))) == [.duplicated])
        #expect(kinds(history((add("one"), .unknown), (list, elements("on")))) == [.torn])
    }

    @Test func `a long history is judged quickly`() {
        var history = History()
        for number in 1...20_000 {
            history.respond(history.invoke(set("v\(number)")), .acknowledged(count: UInt64(number)))
            if number % 10 == 0 { history.respond(history.invoke(get), value(UInt64(number), "v\(number)")) }
        }
        #expect(history.acknowledged == 20_000)
        #expect(kinds(history) == [])
    }
}
