internal import CLinux
internal import Glibc
internal import IPCModel

/// Memory for secrets. It is never in a core dump, is not inherited by child processes, and is kept out of swap space
/// if the system allows it. It is wiped before it is freed. The corresponding C functions are `mmap`, `mlock`,
/// `madvise` and `explicit_bzero`.
package final class LockedMemory {
    package let bytes: UnsafeRawBufferPointer
    private let memory: UnsafeMutableRawPointer
    private let length: Int

    /// Allocates memory, and lets a closure fill it once.
    /// - Throws: `limitExceeded` if the system has no memory left.
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
        // Locking may fail, because users can often lock only a little memory.
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

    /// Disables core dumps from the first sensitive item on, because the process may have copies of the item elsewhere.
    private static let forbidDumps: Void = { _ = clinux_forbid_dumps() }()
}
