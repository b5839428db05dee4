import Testing

@testable import SceneManager

@MainActor
struct SceneStackTests {
    private func stack(_ names: String...) throws -> SceneStack {
        try #require(SceneStack(restoring: names.map { SceneAddress($0) }))
    }

    private func names(_ stack: SceneStack) -> String { stack.entries.map(\.address.name).joined(separator: " ") }

    @Test(arguments: [
        (StackCommand.push(SceneAddress("x")), "root a b a c x"), (.pop, "root a b a"), (.popToRoot, "root"),
        (.popTo("a"), "root a b a"), (.popTo("c"), "root a b a c"), (.replace(SceneAddress("x")), "root a b a x"),
        (.show(SceneAddress("b")), "root a b"), (.show(SceneAddress("x")), "root a b a c x"),
        (.show(SceneAddress("b", parameters: ["n": "1"])), "root a b a c b"),
    ])
    func aCommandChangesTheStack(_ command: StackCommand, _ after: String) throws {
        var stack = try stack("root", "a", "b", "a", "c")
        try stack.apply(command)
        #expect(names(stack) == after)
    }

    @Test func anImpossibleCommandChangesNothing() throws {
        var stack = SceneStack(root: SceneAddress("root"))
        #expect(throws: SceneRefusal.onlyRoot) { try stack.apply(.pop) }
        #expect(throws: SceneRefusal.notOnStack("x")) { try stack.apply(.popTo("x")) }
        #expect(names(stack) == "root")
        for _ in 1..<SceneStack.depthLimit { try stack.apply(.push(SceneAddress("a"))) }
        #expect(throws: SceneRefusal.full) { try stack.apply(.push(SceneAddress("a"))) }
        #expect(stack.entries.count == SceneStack.depthLimit)
    }

    @Test func aStoredStackIsRestoredUpToTheLimit() throws {
        #expect(SceneStack(restoring: []) == nil)
        let many = Array(repeating: SceneAddress("a"), count: SceneStack.depthLimit + 5)
        #expect(try #require(SceneStack(restoring: many)).entries.count == SceneStack.depthLimit)
    }
}
