import Testing

@testable import IPCStore

/// If the disk cannot read a page, only that page is lost, and the store still starts.
@Suite struct UnreadablePageTests {
    /// The copy that is made of a file if one of its pages cannot be read.
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

    @Test func `each readable page is copied, and the others become zeros`() {
        let file = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 7 + 1) }
        let copy = copy(file, without: 1)
        #expect(copy.count == file.count)
        for index in file.indices { #expect(copy[index] == ((4_096..<8_192).contains(index) ? 0 : file[index])) }
    }
}
