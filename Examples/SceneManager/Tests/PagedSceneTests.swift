import Terminal
import Testing

@testable import SceneManager

@MainActor
struct PagedSceneTests {
    private let record = Record()

    private func children(_ names: String...) -> [ChildScenes.Maker] {
        names.map { name in { [record] in RecordedScene(SceneAddress(name), record) } }
    }

    private func stage(_ scene: any Scene) async throws -> Stage {
        let stage = Stage(
            SceneStack(root: scene.address), size: TerminalSize(columns: 40, rows: 8), clock: SkippingClock()
        ) { _ in
            scene
        } show: { _ in
        }
        try await stage.begin()
        return stage
    }

    @Test func pagesAreCreatedWhenFirstShownAndTheDotsShowThePosition() async throws {
        let pages = try PagedScene(SceneAddress("pages"), pages: children("a", "b", "c"))
        let stage = try await stage(pages)
        #expect(record.take() == ["a init", "a willAppear", "a didAppear"] && pages.dots == "● ○ ○")
        try await stage.take(.key(.right))
        #expect(pages.dots == "○ ● ○")
        try await stage.take(.key(.left))
        _ = record.take()
        try await stage.take(.key(.left))
        #expect(record.take() == [], "there is nothing left of the first page")
        #expect(pages.address.description == "pages" && pages.title == "a 0")
    }

    @Test func aPageIsRestoredByItsAddress() throws {
        let address = try #require(SceneAddress(parsing: "pages?page=3"))
        let pages = try PagedScene(address, pages: children("a", "b", "c"))
        #expect(pages.title == "c 0" && pages.address == address)
        #expect(record.take() == ["c init"])
        let last = SceneAddress("pages", parameters: ["page": "9"])
        #expect(try PagedScene(last, pages: children("a")).title == "a 0")
        for text in ["x", "0", "\(Int.min)"] {
            let wrong = SceneAddress("pages", parameters: ["page": text])
            #expect(throws: SceneRefusal("page=\(text): must be a number from 1", code: "no-number")) {
                try PagedScene(wrong, pages: children("a"))
            }
        }
    }

    @Test func aURLSelectsAPageAndTheErrorListsAllPages() async throws {
        let pages = try PagedScene(SceneAddress("pages"), pages: children("a", "b"))
        let stage = try await stage(pages)
        let action = try #require(try pages.take(SceneAddress("page", argument: "2")))
        try await stage.performAnswered(action)
        #expect(pages.title == "b 0")
        for wrong in ["0", "3", "x"] {
            #expect(throws: SceneRefusal("the pages are numbered 1 to 2", code: "no-such-page")) {
                try pages.take(SceneAddress("page", argument: wrong))
            }
        }
        #expect(try pages.take(SceneAddress("add")) == nil, "that is for others")
    }

    @Test func aCardIsTurnedOverAndBack() async throws {
        let card = try PagedScene(SceneAddress("card"), .card, pages: children("front", "back"))
        let stage = try await stage(card)
        try await stage.take(.key(.character(" ")))
        #expect(card.address.description == "card?page=2" && card.title == "back 0")
        try await stage.performAnswered(try #require(try card.take(SceneAddress("flip"))))
        #expect(card.address.description == "card" && card.title == "front 0")
    }

    @Test func hiddenChildrenAreReleasedAndAllEndWithTheContainer() async throws {
        let pages = try PagedScene(SceneAddress("pages"), pages: children("a", "b"))
        let stage = try await stage(pages)
        try await stage.take(.key(.right))
        await stage.release()
        #expect(record.released == ["a"])
        _ = record.take()
        pages.take(.end)
        #expect(record.take() == ["b end"])
    }
}
