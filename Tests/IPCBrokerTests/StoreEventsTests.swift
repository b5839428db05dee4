import Dispatch
import Foundation
import IPCDBus
import IPCModel
import IPCTesting
import Testing

@testable import IPCBroker
@testable import IPCStore

@Suite struct StoreEventsTests {
    private static func moves(_ count: UInt64) throws -> [PasteboardMove] {
        let state = PasteboardMove.State(isPersistent: false, historyLimit: 0)
        return [PasteboardMove(name: PasteboardName("a"), changeCount: count, state: state)]
    }

    @Test func eventsFromTheIOThreadArriveImmediately() async throws {
        let (events, told) = (StoreEvents(), Collected<UInt64>())
        let first = try Self.moves(1)
        let atOnce = try await DBusActor.task {
            events.changed = { told.add($0[0].changeCount) }
            events.report(first)
            return told.elements
        }.value
        #expect(atOnce == [1])
    }

    @Test func noEventOvertakesAnEarlierOneFromTheStoreThread_I13() async throws {
        let (events, told) = (StoreEvents(), Collected<UInt64>())
        let (first, second) = (try Self.moves(1), try Self.moves(2))
        try await DBusActor.task {
            events.changed = { told.add($0[0].changeCount) }
            // This blocks the I/O thread until another thread has reported the first event. So the I/O thread cannot
            // process the first event before it reports the second one itself.
            let isTold = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                events.report(first)
                isTold.signal()
            }
            isTold.wait()
            events.report(second)
        }.value
        #expect(try await told.wait(for: 2) == [1, 2])
    }
}
