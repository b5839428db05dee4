import IPCDBus
import IPCModel
import IPCTesting
import Testing

@testable import IPCBroker

/// Tests of the space that is reserved for an answer before it is read from the store.
@DBusActor
struct AnswerRoomTests {
    @Test func `an answer is charged when it is written, and corrected when it is read`() throws {
        let room = AnswerRoom(limits: Limits())
        let name = PasteboardName("known")
        func subject(_ takesDescriptors: Bool, _ isOneValue: Bool = false) -> AnswerRoom.Subject {
            AnswerRoom.Subject(name: name, takesDescriptors: takesDescriptors, isOneValue: isOneValue)
        }
        #expect(room.bytes(subject(false)) == 1 << 20)
        let type = try ContentType("a/b")
        func item(_ count: Int) throws -> PasteboardItem {
            try PasteboardItem([Representation(type: type, value: .bytes([UInt8](repeating: 0, count: count)))])
        }
        room.writing([try item(100_000), try item(10)], to: name, isAddition: false)
        #expect(room.bytes(subject(false)) == 100_010 + 2 * 1_024 && room.bytes(subject(true)) == 65_546 + 2 * 1_024)
        #expect(room.bytes(subject(false, true)) == 1 << 20)
        room.writing([try item(5)], to: name, isAddition: true)
        #expect(room.bytes(subject(false)) == 100_015 + 3 * 1_024 && room.bytes(subject(true)) == 65_551 + 3 * 1_024)
        room.learn(7, values: 1, descriptors: 0, of: subject(false))
        room.learn(8, values: 1, descriptors: 0, of: subject(false, true))
        #expect(room.bytes(subject(false)) == 1_031 && room.bytes(subject(false, true)) == 1_032)
        #expect(room.bytes(subject(true)) == 65_551 + 3 * 1_024)
        room.learn(3, values: 3, descriptors: 2, of: subject(true))
        #expect(room.bytes(subject(true)) == 2 * 65_536 + 3 + 3 * 1_024)
    }
}
