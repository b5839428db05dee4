import IPCTesting
import Testing

/// Checks which violations ``HistoryChecker`` finds in compare-and-sets, added items and takes.
@Suite struct VersionHistoryTests {
    /// The kinds of violations found in a history in which each operation starts after the previous one.
    private func kinds(_ steps: (History.Action, History.Result)...) -> [HistoryViolation.Kind] {
        var history = History()
        for (action, result) in steps {
            let number = history.invoke(action)
            if result != .unknown { history.respond(number, result) }
        }
        return HistoryChecker.check(history).map(\.kind)
    }

    private func set(_ text: String?, on board: String = "a") -> History.Action {
        .set(board: board, text.map { Array($0.utf8) })
    }
    private func exchange(_ expected: UInt64, _ text: String) -> History.Action {
        .compareAndSet(board: "a", expected: expected, Array(text.utf8))
    }
    private func add(_ text: String) -> History.Action { .append(board: "a", Array(text.utf8)) }
    private func take(_ id: String) -> History.Action { .take(board: "a", id: id) }
    private func items(_ count: UInt64, _ texts: String...) -> History.Result {
        .items(count: count, texts.map { Array($0.utf8) })
    }
    private func done(_ count: UInt64) -> History.Result { .acknowledged(count: count) }
    private let get = History.Action.get(board: "a")

    // MARK: Compare-and-set

    @Test func `a chain of compare-and-sets is correct`() {
        #expect(
            kinds(
                (set("one"), done(1)), (exchange(1, "two"), done(3)), (set("b", on: "b"), done(4)),
                (exchange(3, "three"), done(7)), (exchange(3, "four"), .refused), (get, items(7, "three"))) == [])
    }

    @Test func `a compare-and-set over another change is found`() {
        #expect(
            kinds((set("one"), done(1)), (set("two"), done(2)), (exchange(1, "three"), done(3))) == [.lostUpdate])
        // The lost update is found even if the change in between got no answer, as long as a read showed it.
        #expect(
            kinds(
                (set("one"), done(1)), (set("two"), .unknown), (get, items(2, "two")), (exchange(1, "three"), done(3)))
                == [.lostUpdate])
        // The lost update is found even if the compare-and-set itself got no answer.
        #expect(
            kinds(
                (set("one"), done(1)), (set("two"), done(2)), (exchange(1, "three"), .unknown), (get, items(3, "three"))
            )
                == [.lostUpdate])
        #expect(
            kinds((set("one"), done(1)), (take("x"), items(1, "one")), (exchange(1, "two"), done(3))) == [.lostUpdate])
    }

    @Test func `two compare-and-sets on one version are found`() {
        #expect(
            kinds((set("one"), done(1)), (exchange(1, "two"), done(2)), (exchange(1, "three"), done(3)))
                == [.lostUpdate])
    }

    @Test func `a refused compare-and-set that took effect is found`() {
        #expect(
            kinds((set("one"), done(1)), (exchange(9, "two"), .refused), (get, items(2, "two")))
                == [.refusedButApplied])
    }

    @Test func `a compare-and-set without a larger number is found`() {
        #expect(kinds((exchange(5, "two"), done(5))) == [.countFell])
    }

    // MARK: Added items

    @Test func `items that are added one after the other are correct`() {
        #expect(
            kinds(
                (get, items(1)), (add("one"), done(2)), (add("two"), done(4)), (get, items(4, "one", "two")),
                (set(nil), done(5)), (add("three"), done(6)), (get, items(6, "three"))) == [])
    }

    @Test func `an added item without an answer is complete or absent`() {
        let first = (set("one"), done(1))
        #expect(kinds(first, (add("two"), .unknown), (add("three"), done(3)), (get, items(3, "one", "three"))) == [])
        #expect(
            kinds(first, (add("two"), .unknown), (add("three"), done(3)), (get, items(3, "one", "two", "three"))) == [])
        #expect(kinds(first, (add("two"), .unknown), (get, items(2, "one", "two"))) == [])
        // A clear that got no answer may have removed “one” in between.
        #expect(kinds(first, (set(nil), .unknown), (add("two"), done(3)), (get, items(3, "two"))) == [])
        #expect(kinds(first, (set("two"), .unknown), (add("three"), done(3)), (get, items(3, "two", "three"))) == [])
    }

    @Test func `an item that is added twice is found`() {
        #expect(
            kinds(
                (set("one"), done(1)), (add("two"), .unknown), (add("three"), done(3)),
                (get, items(3, "one", "two", "three")), (set("four"), done(4)), (add("five"), done(6)),
                (get, items(6, "four", "two", "five"))) == [.duplicated])
        #expect(
            kinds((set("one"), done(1)), (add("two"), done(2)), (get, items(3, "one", "two", "two"))) == [.duplicated])
    }

    @Test func `an item that is lost when another is added is found`() {
        #expect(
            kinds(
                (set("one"), done(1)), (add("two"), done(2)), (add("three"), done(3)), (get, items(3, "one", "three")))
                == [.lostUpdate])
        #expect(kinds((set("one"), done(1)), (add("two"), done(2)), (get, items(2, "two"))) == [.lostUpdate])
        // That “one” is missing in version 2 shows only in version 3.
        #expect(
            kinds(
                (set("one"), done(1)), (add("two"), done(2)), (add("three"), done(3)),
                (get, items(3, "two", "three"))) == [.lostUpdate])
    }

    @Test func `an item added to a taken or rejected version is found`() {
        #expect(
            kinds(
                (set("one"), done(1)), (take("x"), items(1, "one")), (add("two"), done(3)),
                (get, items(3, "one", "two"))
            ) == [.lostUpdate])
        #expect(
            kinds(
                (set("one"), done(1)), (add("two"), .refused), (add("three"), done(3)),
                (get, items(3, "one", "two", "three"))) == [.refusedButApplied])
    }

    @Test func `a mix of two versions is found`() {
        #expect(
            kinds(
                (set("one"), done(1)), (add("two"), done(2)), (set("three"), done(3)), (get, items(3, "one", "two")))
                == [.mixed])
        #expect(
            kinds((set("one"), done(1)), (add("two"), done(2)), (get, items(2, "one", "three"))) == [.mixed])
        #expect(kinds((set("one"), .unknown), (set("two"), .unknown), (get, items(2, "one", "two"))) == [.torn])
    }

    @Test func `a version that is read before it is written is found`() {
        #expect(kinds((set("one"), done(1)), (get, items(2, "two")), (set("two"), .unknown)) == [.torn])
    }

    @Test func `a write without an answer that got an old number is found`() {
        #expect(
            kinds((set("b", on: "b"), done(5)), (set("one"), .unknown), (get, items(3, "one"))) == [.countFell])
    }

    // MARK: Takes

    @Test func `consecutive takes are correct, also repeated ones`() {
        #expect(
            kinds(
                (set("one"), done(1)), (take("x"), .unknown), (take("x"), items(1, "one")), (get, items(2)),
                (take("y"), items(2)), (take("x"), items(1, "one")), (add("two"), done(4)), (get, items(4, "two")),
                (take("z"), items(4, "two"))) == [])
    }

    @Test func `a take without an answer leaves everything or nothing`() {
        #expect(kinds((set("one"), done(1)), (take("x"), .unknown), (get, items(2))) == [])
        #expect(kinds((set("one"), done(1)), (take("x"), .unknown), (get, items(1, "one"))) == [])
        #expect(
            kinds((set("one"), done(1)), (take("x"), .unknown), (add("two"), done(3)), (get, items(3, "two"))) == [])
        #expect(
            kinds((set("one"), done(1)), (take("x"), items(1, "one")), (get, items(2)), (get, items(3))) == [
                .duplicated
            ])
    }

    @Test func `two takes of the same version are found`() {
        #expect(
            kinds((set("one"), done(1)), (take("x"), items(1, "one")), (take("y"), items(1, "one")))
                .contains(.takenTwice))
        #expect(
            kinds((set("one"), done(1)), (take("x"), items(1, "one")), (take("y"), items(3, "one")))
                .contains(.takenTwice))
    }

    @Test func `a taken version that is read again is found`() {
        #expect(kinds((set("one"), done(1)), (take("x"), items(1, "one")), (get, items(1, "one"))) == [.countFell])
    }

    @Test func `a repeated take with another answer is found`() {
        #expect(
            kinds(
                (set("one"), done(1)), (take("x"), items(1, "one")), (set("two"), done(3)), (take("x"), items(3, "two"))
            )
                == [.answeredDifferently])
    }

    @Test func `a long history of all operations is judged quickly`() {
        var history = History()
        func done(_ action: History.Action, _ result: History.Result) {
            history.respond(history.invoke(action), result)
        }
        for round in 0..<10_000 {
            let (count, one, two) = (UInt64(5 * round), "s\(round)", "a\(round)")
            done(set(one), .acknowledged(count: count + 1))
            done(exchange(count + 1, "c\(round)"), .acknowledged(count: count + 2))
            done(add(two), .acknowledged(count: count + 3))
            done(get, items(count + 3, "c\(round)", two))
            done(take("\(round)"), items(count + 3, "c\(round)", two))
        }
        #expect(history.operations.count == 50_000)
        #expect(HistoryChecker.check(history).isEmpty)
    }
}
