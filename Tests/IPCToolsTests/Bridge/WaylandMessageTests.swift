import Testing

@testable import ipc_bridge

/// Tests of how messages of the Wayland protocol are written and read.
@Suite("Wayland messages")
struct WaylandMessageTests {
    private func words(_ bytes: [UInt8]) -> [UInt32] {
        bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self) }
        }
    }

    @Test func aRequestIsEncodedIn32BitWords() {
        // The header has object, opcode and length. With its NUL, “wl_seat” takes 8 bytes, and the empty text takes 1.
        let message = WaylandRequest.message(to: 3, 5, [UInt32(7), "wl_seat", ""])
        #expect(Array(words(message).prefix(4)) == [3, 32 << 16 | 5, 7, 8])
        #expect(Array(message[16..<24]) == Array("wl_seat\0".utf8))
        #expect(Array(words(message).suffix(2)) == [1, 0])
    }

    @Test func anEventSurvivesARoundTrip() throws {
        let one = WaylandRequest.message(to: 9, 1, [UInt32(42), "text/plain", UInt32(43)])
        // The bytes of two messages and the beginning of a third one.
        var bytes = (one + one + one.dropLast())[...]
        for _ in 0..<2 {
            var event = try #require(WaylandEvent(from: &bytes))
            #expect(event.object == 9 && event.opcode == 1)
            #expect(event.number() == 42)
            #expect(event.text() == "text/plain")
            #expect(event.number() == 43)
            #expect(event.number() == 0)
        }
        #expect(WaylandEvent(from: &bytes) == nil)
        #expect(bytes.count == one.count - 1)
    }

    /// An impossible length is not an event, and nothing is read beyond it.
    @Test(arguments: [0, 7, 4] as [UInt32])
    func aWrongLengthIsNotAnEvent(length: UInt32) {
        var header: [UInt8] = []
        UInt32(1).add(to: &header)
        (length << 16).add(to: &header)
        var bytes = header[...]
        #expect(WaylandEvent(from: &bytes) == nil)
    }
}
