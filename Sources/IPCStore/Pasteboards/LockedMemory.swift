internal import CLinux
internal import Glibc
internal import IPCModel

/// Memory for what must not leave the process: not swapped out where the system allows that, in no core file, not
/// inherited by a child, and wiped before it is given back.
///
/// The corresponding C functions are `mmap`, `mlock`, `madvise` and `explicit_bzero`.
package final class LockedMemory {
    /// The memory, for reading.
    package let bytes: UnsafeRawBufferPointer
    private let memory: UnsafeMutableRawPointer
    private let length: Int

    /// Takes memory and lets a closure fill it, once.
    /// - Throws: `limitExceeded` where the system has none left.
    package init(byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
        Self.forbidDumps
        length = max(1, byteCount)
        guard
            let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else {
            throw IPCError(
                .limitExceeded, "no memory is left for a sensitive item of \(byteCount) bytes; try again later")
        }
        self.memory = memory
        bytes = UnsafeRawBufferPointer(start: memory, count: byteCount)
        // The share of memory that a user may lock is often small: without it the system may still swap.
        _ = mlock(memory, length)
        madvise(memory, length, MADV_DONTDUMP)
        madvise(memory, length, MADV_DONTFORK)
        try fill(UnsafeMutableRawBufferPointer(start: memory, count: byteCount))
    }

    deinit {
        explicit_bzero(memory, length)
        munlock(memory, length)
        munmap(memory, length)
    }

    /// From the first sensitive item on the process leaves no core file: a copy of the item may stand elsewhere in it.
    private static let forbidDumps: Void = { _ = clinux_forbid_dumps() }()
}
