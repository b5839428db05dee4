/// Writes bytes in either byte order. It shares no code with the product, and can write what no correct program would.
struct WireWriter {
    let isBigEndian: Bool
    private(set) var bytes: [UInt8] = []

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
        bytes.reserveCapacity(512)
    }

    var count: Int { bytes.count }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// The lowest `size` bytes of a number, aligned to their size.
    mutating func number(_ value: UInt64, size: Int) {
        align(size)
        for place in 0..<size {
            let shift = (isBigEndian ? size - 1 - place : place) * 8
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    mutating func align(_ size: Int, filler: UInt8 = 0) { while bytes.count % size != 0 { bytes.append(filler) } }

    mutating func structure() { align(8) }

    mutating func removeLast(to count: Int) { bytes.removeLast(bytes.count - count) }

    mutating func raw(_ more: [UInt8]) { bytes += more }

    mutating func setNumber(_ value: UInt32, at place: Int) {
        for index in 0..<4 {
            let shift = UInt32((isBigEndian ? 3 - index : index) * 8)
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }

    func number(at place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32((isBigEndian ? 3 - $1 : $1) * 8) }
    }
}
