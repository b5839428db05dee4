import SceneManager
import Testing

/// In these tests, the root has the id 1, and each new entry has the next number.
struct SceneStackTests {
    private func begun(_ names: String...) throws -> SceneStack {
        var stack = SceneStack(root: SceneAddress("root"))
        #expect(stack.begin() == [.make(1)])
        for name in names { _ = try stack.apply(.push(SceneAddress(name))) }
        return stack
    }

    private func names(_ stack: SceneStack) -> [String] { stack.addresses.map(\.name) }

    @Test func aSceneIsCreatedWhenShownAndTheOneBelowSleeps() throws {
        var stack = try begun()
        #expect(try stack.apply(.push(SceneAddress("a"))) == [.make(2), .sleep(1)])
        #expect(names(stack) == ["root", "a"])
    }

    @Test func popEndsTheTopSceneAndRestoresTheOneBelow() throws {
        var stack = try begun("a")
        #expect(try stack.apply(.pop) == [.end(2), .restore(1)])
        #expect(names(stack) == ["root"])
    }

    @Test func popToRootEndsScenesFromTheTop() throws {
        var stack = try begun("a", "b", "c")
        #expect(try stack.apply(.popToRoot) == [.end(4), .end(3), .end(2), .restore(1)])
        #expect(try stack.apply(.popToRoot) == [])
    }

    @Test func popToANameStopsAtTheNearestMatch() throws {
        var stack = try begun("a", "b", "a", "c")
        #expect(try stack.apply(.popTo("a")) == [.end(5), .restore(4)])
        #expect(names(stack) == ["root", "a", "b", "a"])
        #expect(try stack.apply(.popTo("a")) == [], "it is seen already")
        #expect(try stack.apply(.popTo("root")) == [.end(4), .end(3), .end(2), .restore(1)])
    }

    @Test func replaceCreatesTheNewSceneBeforeTheOldOneEnds() throws {
        var stack = try begun("a")
        #expect(try stack.apply(.replace(SceneAddress("b"))) == [.make(3), .end(2)])
        #expect(names(stack) == ["root", "b"])
    }

    @Test func showReturnsToTheSameAddressOrPushes() throws {
        var stack = try begun("a", "b")
        #expect(try stack.apply(.show(SceneAddress("a"))) == [.end(3), .restore(2)])
        var other = SceneAddress("a")
        other["x"] = "1"
        #expect(try stack.apply(.show(other)) == [.make(4), .sleep(2)])
    }

    @Test func anImpossibleCommandChangesNothing() throws {
        var stack = try begun()
        let before = stack
        #expect(throws: SceneRefusal.onlyRoot) { try stack.apply(.pop) }
        #expect(throws: SceneRefusal.notOnStack("x")) { try stack.apply(.popTo("x")) }
        #expect(stack == before)
        for _ in 1..<SceneStack.depthLimit { _ = try stack.apply(.push(SceneAddress("a"))) }
        let full = stack
        #expect(throws: SceneRefusal.full) { try stack.apply(.push(SceneAddress("a"))) }
        #expect(stack == full)
    }

    @Test func hiddenScenesAreReleasedAndRecreated() throws {
        var stack = try begun("a", "b")
        #expect(stack.letGo() == [.release(1), .release(2)])
        #expect(stack.letGo() == [], "they are gone")
        #expect(try stack.apply(.pop) == [.make(2), .end(3), .restore(2)])
        #expect(try stack.apply(.popToRoot) == [.make(1), .end(2), .restore(1)])
    }

    @Test func aReleasedSceneEndsWithoutANotification() throws {
        var stack = try begun("a", "b")
        _ = stack.letGo()
        #expect(try stack.apply(.popToRoot) == [.make(1), .end(3), .restore(1)])
    }

    @Test func aRestoredStackCreatesOnlyVisibleScenes() throws {
        var stack = try #require(SceneStack(restoring: [SceneAddress("root"), SceneAddress("a")]))
        #expect(stack.begin() == [.make(2), .restore(2)])
        #expect(try stack.apply(.pop) == [.make(1), .end(2), .restore(1)])
        #expect(SceneStack(restoring: []) == nil)
    }

    @Test func aSceneKeepsItsRecordedAddress() throws {
        var stack = try begun("a")
        var moved = SceneAddress("a")
        moved["n"] = "5"
        stack.note(moved, for: 2)
        stack.note(moved, for: 99)
        #expect(stack.addresses.map(\.description) == ["root", "a?n=5"])
    }
}
