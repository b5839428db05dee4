/// Bytes that another process has written. Every access is checked, even in release builds, where
/// `UnsafeRawBufferPointer` checks nothing. So a bug in a reader crashes the process instead of revealing memory.
struct ReceivedBytes {
    /// The bytes without checks, for functions that read all of them.
    let memory: UnsafeRawBufferPointer

    init(_ memory: UnsafeRawBufferPointer) { self.memory = memory }

    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = UnsafeRawBufferPointer(memory) }

    init(_ text: StaticString) {
        memory = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    var count: Int { memory.count }
    var isEmpty: Bool { memory.isEmpty }

    @inline(__always) subscript(place: Int) -> UInt8 { memory.bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self) }

    /// Reads a number in this machine's byte order.
    @inline(__always) func number<Number: BitwiseCopyable>(at place: Int, as type: Number.Type) -> Number {
        memory.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: type)
    }

    @inline(__always) func number(at place: Int, isBigEndian: Bool) -> UInt32 {
        let number = number(at: place, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: number) : UInt32(littleEndian: number)
    }

    @inline(__always) func part(_ start: Int, count: Int) -> ReceivedBytes {
        precondition(start >= 0 && count >= 0 && count <= memory.count - start)
        return ReceivedBytes(UnsafeRawBufferPointer(rebasing: memory[start..<(start + count)]))
    }

    func part(from start: Int) -> ReceivedBytes { part(start, count: count - start) }

    /// Rounds an offset up to a multiple of `size`, a power of 2 up to 8. Checks that the skipped bytes are zero.
    /// - Precondition: the rounded offset is at least 8, because the check reads the 8 bytes before it.
    @inline(__always) func aligned(_ place: Int, to size: Int, end: Int) throws(MessageError) -> Int {
        let next = (place + size - 1) & ~(size - 1)
        guard place < next else { return place }
        guard next <= end,
            UInt64(littleEndian: number(at: next - 8, as: UInt64.self)) >> UInt64(64 - (next - place) * 8) == 0
        else { throw .noPadding }
        return next
    }
}

extension String {
    init(_ bytes: ReceivedBytes) { self.init(decoding: bytes.memory, as: UTF8.self) }
}
