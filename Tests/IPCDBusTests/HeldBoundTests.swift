import Testing

@testable import IPCDBus

/// Which peer is disconnected when peers together hold too much.
@DBusActor
struct HeldBoundTests {
    /// Creates shares of a bound, and records which peers were disconnected, in order.
    @DBusActor
    private final class Scene {
        let bound = HeldBound(most: 1_000)
        private(set) var ended: [String] = []

        func share(_ name: String) -> HeldBound.Share {
            HeldBound.Share(of: bound) { [weak self] in self?.ended.append(name) }
        }

        /// Returns the disconnected peers once the current work is done, because peers are disconnected only after it.
        func allEnds() async -> [String] {
            await withCheckedContinuation { continuation in
                DBusActor.thread.soon { continuation.resume() }
            }
            return ended
        }
    }

    @Test func `below the bound, no connection is closed`() async {
        let scene = Scene()
        let share = scene.share("a")
        share.set(999, hasMoved: false)
        #expect(share.admits())
        #expect(await scene.allEnds() == [])
    }

    @Test(arguments: [true, false])
    func `the connection without progress for longest is closed, not the one that grew last`(_ reads: Bool) async {
        let scene = Scene()
        let (deaf, reader) = (scene.share("deaf"), scene.share("reader"))
        deaf.set(400, hasMoved: false)
        reader.set(100, hasMoved: false)
        deaf.set(450, hasMoved: false)
        reader.set(600, hasMoved: reads)
        #expect(reader.admits())
        #expect(await scene.allEnds() == ["deaf"])
        #expect(!deaf.admits() && deaf.amount == 0)
    }

    @Test func `only a completely sent message counts as progress`() async {
        let scene = Scene()
        let (first, second) = (scene.share("first"), scene.share("second"))
        first.set(500, hasMoved: false)
        second.set(490, hasMoved: false)
        first.set(480, hasMoved: true)
        second.set(520, hasMoved: false)
        #expect(first.admits())
        #expect(await scene.allEnds() == ["second"])
    }

    @Test func `a quiet connection that holds little is not closed`() async {
        let scene = Scene()
        let (quiet, much) = (scene.share("quiet"), scene.share("much"))
        quiet.set(10, hasMoved: false)
        much.set(990, hasMoved: false)
        #expect(quiet.admits())
        #expect(!much.admits())
        #expect(await scene.allEnds() == ["much"])
    }

    @Test func `many small connections count as much as one large one`() async {
        let scene = Scene()
        let small = (0..<100).map { scene.share("\($0)") }
        for share in small { share.set(5, hasMoved: false) }
        let reader = scene.share("reader")
        reader.set(500, hasMoved: false)
        #expect(reader.admits())
        #expect(await scene.allEnds() == ["0"])
    }

    @Test func `only as many connections are closed as necessary`() async {
        let scene = Scene()
        let shares = ["a", "b", "c"].map { scene.share($0) }
        for share in shares { share.set(600, hasMoved: false) }
        #expect(shares[2].admits())
        #expect(await scene.allEnds() == ["a", "b"])
    }

    @Test func `a closed connection frees its share`() async {
        let scene = Scene()
        let (first, second) = (scene.share("first"), scene.share("second"))
        first.set(999, hasMoved: false)
        first.set(0, hasMoved: true)
        second.set(900, hasMoved: false)
        #expect(second.admits() && first.admits())
        #expect(await scene.allEnds() == [])
    }
}
