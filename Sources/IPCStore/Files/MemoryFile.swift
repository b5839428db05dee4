internal import CLinux
internal import Glibc
internal import IPCModel

/// A memory file of the store's own that is being filled.
struct MemoryFile {
    let file: ContentFile
    private let limits: Limits

    /// Makes an empty one. The corresponding C function is `memfd_create`.
    init(byteCount: Int, _ limits: Limits) throws {
        let descriptor = clinux_memory_file("swift-ipc value")
        guard descriptor >= 0 else { throw FileFailure.memoryCondition(errno, byteCount: byteCount, limits) }
        file = ContentFile(owning: descriptor, byteCount: byteCount)
        self.limits = limits
    }

    /// Fixes length and content, and gives the file opened read-only.
    func seal() throws -> ContentFile {
        guard clinux_seal(file.descriptor) == 0, let sealed = file.reopened() else {
            throw FileFailure.memoryCondition(errno, byteCount: file.byteCount, limits)
        }
        return sealed
    }
}
