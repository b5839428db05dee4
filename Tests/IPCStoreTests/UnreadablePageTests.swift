import IPCModel
import Testing

@testable import IPCStore

/// A page that the disk cannot read costs that page, and not the start.
@Suite(.serialized) struct UnreadablePageTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    /// The file as it is brought over when one of its pages cannot be read.
    private func copy(_ file: [UInt8], without unreadable: Int) -> [UInt8] {
        var copy: [UInt8] = []
        let isWhole = Quarantine.readablePages(of: file.count) { part, place in
            guard place / 4_096 != unreadable else { return -1 }
            part.copyBytes(from: file[place..<place + part.count])
            return part.count
        } _: { part, place in
            #expect(place == copy.count)
            copy += part
            return true
        }
        #expect(isWhole)
        return copy
    }

    @Test func `each page that can be read is brought over, and the others are zeros`() {
        let file = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 7 + 1) }
        let copy = copy(file, without: 1)
        #expect(copy.count == file.count)
        for index in file.indices { #expect(copy[index] == ((4_096..<8_192).contains(index) ? 0 : file[index])) }
    }

    @Test func `any page but the first costs no more than what stands in it`() async throws {
        let boards = (0..<200).map { PasteboardName.named("demo.Board\($0)") }
        let store = try place.open()
        for board in boards { try await store.put(String(repeating: "x", count: 500), on: board) }
        try await store.close()
        let file = try place.bytes(place.database)
        var lost: [Int] = []
        for page in 1..<file.count / 4_096 where page % 7 == 0 {
            let damaged = try TestPlace()
            try await damaged.open().close()
            try damaged.write(copy(file, without: page), to: damaged.database)
            // The first run may end with the damage; the next start checks the whole file.
            let first = try damaged.open()
            for board in boards { _ = try? await first.text(of: board) }
            try? await first.close()
            let store = try damaged.open()
            var missing = 0
            for board in boards where (try? await store.text(of: board)) == nil { missing += 1 }
            lost.append(missing)
            try await store.close()
        }
        #expect(!lost.isEmpty && lost.allSatisfy { $0 <= 100 }, "\(lost)")
        #expect(lost.contains { $0 > 0 }, "a page that nobody needs shows nothing")
    }
}
