import Terminal
import Testing

@testable import SceneManager

@MainActor
struct ContainerTests {
    private let record = Record()

    private func children(_ names: String...) -> [ChildScenes.Maker] {
        names.map { name in { [record] in RecordedScene(SceneAddress(name), record) } }
    }

    private func stage(_ scene: any Scene) throws -> Stage {
        let stage = Stage(
            SceneStack(root: scene.address), size: TerminalSize(columns: 40, rows: 8), clock: SkippingClock()
        ) { _ in
            scene
        } show: { _ in
        }
        try stage.begin()
        return stage
    }

    @Test func pagesAreCreatedWhenFirstShownAndTheDotsShowThePosition() async throws {
        let pages = PagedScene(SceneAddress("pages"), pages: children("a", "b", "c"))
        let stage = try stage(pages)
        #expect(record.take() == ["make a"] && pages.dots == "● ○ ○")
        try await stage.take(.key(.right))
        #expect(record.take() == ["make b", "sleep a"] && pages.dots == "○ ● ○")
        try await stage.take(.key(.left))
        try await stage.take(.key(.left))
        #expect(record.take() == ["sleep b", "restore a"], "there is nothing left of the first page")
        #expect(pages.address.description == "pages")
    }

    @Test func aPageIsRestoredByItsAddress() throws {
        let address = try #require(SceneAddress(parsing: "pages?page=3"))
        let pages = PagedScene(address, pages: children("a", "b", "c"))
        #expect(pages.title == "c 0" && pages.address == address)
        #expect(record.take() == ["make c"])
        #expect(PagedScene(SceneAddress("pages", parameters: ["page": "9"]), pages: children("a")).title == "a 0")
    }

    @Test func aURLSelectsAPageAndTheErrorListsAllPages() async throws {
        let pages = PagedScene(SceneAddress("pages"), pages: children("a", "b"))
        let stage = try stage(pages)
        let action = try #require(try pages.take(SceneAddress("page", argument: "2")))
        try await stage.performAnswered(action)
        #expect(pages.title == "b 0")
        for wrong in ["0", "3", "x"] {
            #expect(throws: SceneRefusal("the pages are numbered 1 to 2", code: "no-such-page")) {
                try pages.take(SceneAddress("page", argument: wrong))
            }
        }
        #expect(try pages.take(SceneAddress("flip")) == nil, "that is for others")
    }

    @Test func aCardIsTurnedOverAndBack() async throws {
        let card = FlipScene(SceneAddress("card"), front: children("front")[0], back: children("back")[0])
        let stage = try stage(card)
        try await stage.take(.key(.character(" ")))
        #expect(record.take() == ["make front", "make back", "sleep front"])
        #expect(card.address.description == "card?side=back")
        try await stage.take(.key(.character(" ")))
        #expect(record.take() == ["sleep back", "restore front"] && card.address.description == "card")
    }

    @Test func hiddenChildrenAreReleasedAndAllEndWithTheContainer() async throws {
        let pages = PagedScene(SceneAddress("pages"), pages: children("a", "b"))
        let stage = try stage(pages)
        try await stage.take(.key(.right))
        _ = record.take()
        await stage.letGo()
        #expect(record.take() == ["gone a"])
        pages.end()
        #expect(record.take() == ["end b"])
    }
}
