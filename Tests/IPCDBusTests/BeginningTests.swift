import IPCDBus
import IPCTesting
import Testing

@DBusActor
struct BeginningTests {
    @Test func `a task runs to its first suspension before the next one starts`() async throws {
        let begun = Collected<String>()
        DBusActor.begin { begun.add("first") }
        begun.add("second")
        DBusActor.begin {
            begun.add("third")
            DBusActor.begin { begun.add("its own") }
            begun.add("third again")
        }
        begun.add("fourth")
        #expect(begun.elements == ["first", "second", "third", "its own", "third again", "fourth"])
    }

    @Test func `a suspended task delays no other and resumes where it was started`() async throws {
        let begun = Collected<String>()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        DBusActor.begin {
            begun.add("first")
            for await _ in gate {}
            begun.add(DBusActor.isCurrent ? "first again" : "on another thread")
        }
        DBusActor.begin { begun.add("second") }
        #expect(try await begun.wait(for: 2) == ["first", "second"])
        open.finish()
        #expect(try await begun.wait(for: 3) == ["first", "second", "first again"])
    }
}
