internal import Glibc
internal import IPCModel

/// A mapping that keeps a memory file from being swapped out, where the system allows that much, and out of dumps.
///
/// The corresponding C functions are `mmap`, `mlock` and `madvise`; nothing is read through the mapping.
final class LockedFile: Sendable {
    private let address: UInt
    private let byteCount: Int

    init(_ file: ContentFile) {
        byteCount = file.byteCount
        guard byteCount > 0, let memory = mmap(nil, byteCount, PROT_READ, MAP_SHARED, file.descriptor, 0),
            memory != MAP_FAILED
        else {
            address = 0
            return
        }
        address = UInt(bitPattern: memory)
        // MADV_DONTDUMP
        madvise(memory, byteCount, 16)
        mlock(memory, byteCount)
    }

    deinit {
        if let memory = UnsafeMutableRawPointer(bitPattern: address) { munmap(memory, byteCount) }
    }
}
