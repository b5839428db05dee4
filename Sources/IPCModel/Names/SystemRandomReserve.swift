internal import Glibc
internal import Synchronization

/// Random numbers of the system's generator, fetched for several ids at a time: getentropy(3) gives 256 bytes a call.
///
/// Nothing is derived from them, and what was given out is not kept.
struct SystemRandomReserve: RandomNumberGenerator {
    static let shared = Mutex(SystemRandomReserve())

    private var numbers = [UInt64](repeating: 0, count: SystemRandomReserve.most)
    private var left = 0

    /// 256 bytes.
    private static let most = 32

    mutating func next() -> UInt64 {
        if left == 0 { fill() }
        left -= 1
        defer { numbers[left] = 0 }
        return numbers[left]
    }

    private mutating func fill() {
        let status = numbers.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
        if status != 0 {
            var generator = SystemRandomNumberGenerator()
            for index in numbers.indices { numbers[index] = generator.next() }
        }
        left = Self.most
    }
}
