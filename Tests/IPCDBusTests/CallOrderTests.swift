import IPCDBus
import IPCTesting
import Testing

@DBusActor
struct CallOrderTests {
    @Test func `what could begin at once waits behind what begins in a task`() async throws {
        let begun = Collected<String>()
        CallOrder.begin { begun.add("first") }
        CallOrder.begin(atOnce: { begun.add("second") })
        CallOrder.begin { begun.add("third") }
        CallOrder.begin(atOnce: { begun.add("fourth") })
        #expect(try await begun.wait(for: 4) == ["first", "second", "third", "fourth"])
    }

    @Test func `what a handler starts comes before what waits, in its own order`() async throws {
        let begun = Collected<String>()
        CallOrder.begin { begun.add("first") }
        CallOrder.begin(atOnce: {
            begun.add("second")
            CallOrder.begin { begun.add("second's first") }
            CallOrder.begin(atOnce: {
                begun.add("second's second")
                CallOrder.begin { begun.add("its own") }
                CallOrder.begin(atOnce: { begun.add("its last") })
            })
            CallOrder.begin { begun.add("second's third") }
        })
        CallOrder.begin { begun.add("third") }
        CallOrder.begin(atOnce: { begun.add("fourth") })
        #expect(
            try await begun.wait(for: 9) == [
                "first", "second", "second's first", "second's second", "its own", "its last", "second's third",
                "third", "fourth",
            ])
    }

    @Test func `what has begun holds nobody up, however long it takes`() async throws {
        let begun = Collected<String>()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        CallOrder.begin {
            begun.add("first")
            for await _ in gate {}
            begun.add("first again")
        }
        _ = try await begun.wait(for: 1)
        CallOrder.begin(atOnce: { begun.add("second") })
        #expect(try await begun.wait(for: 2) == ["first", "second"])
        open.finish()
        #expect(try await begun.wait(for: 3) == ["first", "second", "first again"])
    }
}
