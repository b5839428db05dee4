import Foundation
import Terminal
import Testing

@testable import SceneManager

/// The order of the moments in the lives of scenes. The expected order is the table in README.md.
@MainActor
struct MomentTests {
    private let record = Record()

    private static let fade = Transition(.fade(through: .white), .milliseconds(99))

    /// What happens in the rows of the table: the scenes on the stack before, and the change.
    private static let changes: [String: (before: [String], change: @MainActor (Stage) async throws -> Void)] = [
        "push `c`": (["a", "b"], { try await $0.go(.push(SceneAddress("c"))) }),
        "push `c` by a fade": (["a", "b"], { try await $0.go(.push(SceneAddress("c")), by: fade) }),
        "pop": (["a", "b"], { try await $0.go(.pop) }),
        "pop by a fade": (["a", "b"], { try await $0.go(.pop, by: fade) }),
        "pop to root": (["a", "b", "c"], { try await $0.go(.popToRoot) }),
        "pop to `b`": (["a", "b", "c", "d"], { try await $0.go(.popTo("b")) }),
        "replace by `c`": (["a", "b"], { try await $0.go(.replace(SceneAddress("c"))) }),
        "push a scene that cannot be created": (
            ["a", "b"],
            { stage in
                await #expect(throws: SceneRefusal.self) { try await stage.go(.push(SceneAddress("lost"))) }
            }
        ),
        "pop, after `a` was released": (
            ["a", "b"],
            { stage in
                await stage.release()
                try await stage.go(.pop)
            }
        ),
    ]

    /// The rows of the table in README.md: what happens, and the moments.
    private static let table: [(event: String, moments: [String])] = {
        let readme = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../README.md")
        let lines = (try? String(contentsOf: readme, encoding: .utf8))?.split(separator: "\n") ?? []
        let rows = lines.drop { !$0.hasPrefix("| what happens") }.dropFirst(2).prefix { $0.hasPrefix("|") }
        return rows.map { row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let moments = cells[1] == "nothing" ? [] : cells[1].replacing("`", with: "").components(separatedBy: ", ")
            return (cells[0], moments)
        }
    }()

    private func stage(_ stack: SceneStack) async throws -> Stage {
        let size = TerminalSize(columns: 40, rows: 8)
        let stage = Stage(stack, size: size, clock: SkippingClock()) { [record] address in
            guard address.name != "lost" else { throw SceneRefusal("lost", code: "lost") }
            return RecordedScene(address, record)
        } show: { _ in
        }
        try await stage.begin()
        return stage
    }

    @Test func aChangeNotifiesTheScenesInTheOrderOfTheTable() async throws {
        for (event, (before, change)) in Self.changes { try await check(event, before, change) }
    }

    private func check(
        _ event: String, _ before: [String], _ change: @MainActor (Stage) async throws -> Void
    ) async throws {
        let stage = try await stage(SceneStack(root: SceneAddress(before[0])))
        for name in before.dropFirst() { try await stage.go(.push(SceneAddress(name))) }
        _ = record.take()
        try await change(stage)
        let moments = record.take().filter { $0 != "b memoryShort" }
        #expect(moments == Self.table.first { $0.event == event }?.moments, "\(event)")
    }

    @Test func aStartAndARestartNotifyTheTopScene() async throws {
        let first = try await stage(SceneStack(root: SceneAddress("a")))
        #expect(record.take() == Self.table.first { $0.event == "first start" }?.moments)
        try await first.go(.push(SceneAddress("b")))
        _ = record.take()
        let again = try await stage(try #require(SceneStack(restoring: first.addresses)))
        #expect(record.take() == Self.table.first { $0.event == "start after `kill -9`" }?.moments)
        #expect(again.addresses == first.addresses)
    }

    @Test func aPageIsNotifiedLikeASceneOnTheStack() async throws {
        let pages: [ChildScenes.Maker] = ["b", "c"].map { name in
            { [record] in RecordedScene(SceneAddress(name), record) }
        }
        let stage = Stage(
            SceneStack(root: SceneAddress("p")), size: TerminalSize(columns: 40, rows: 8), clock: SkippingClock()
        ) {
            try PagedScene($0, pages: pages)
        } show: { _ in
        }
        try await stage.begin()
        _ = record.take()
        try await stage.take(.key(.right))
        #expect(record.take() == Self.table.first { $0.event == "next page" }?.moments)
        try await stage.take(.key(.left))
        #expect(record.take() == Self.table.first { $0.event == "previous page" }?.moments)
    }

    @Test func everyRowOfTheTableIsTested() {
        let others: Set = ["first start", "start after `kill -9`", "next page", "previous page"]
        #expect(Set(Self.table.map(\.event)) == others.union(Self.changes.keys))
    }
}
