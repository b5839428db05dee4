import Glibc
import IPCTesting

/// Takes the write-ahead log of an open store away from under it, in this process alone.
///
/// `/dev/null` takes each write and refuses to be synchronized, like a disk that fails in `fdatasync`.
final class DiskFault {
    private let descriptor: Int32
    private let saved: Int32

    /// Replaces the open descriptor of a file by a device.
    init?(_ file: String, by device: String) {
        guard let found = Self.descriptor(of: file) else { return nil }
        let replacement = open(device, O_RDWR | O_CLOEXEC)
        guard replacement >= 0 else { return nil }
        defer { close(replacement) }
        saved = dup(found)
        descriptor = found
        dup2(replacement, descriptor)
    }

    /// Gives the file back.
    func end() {
        dup2(saved, descriptor)
        close(saved)
    }

    private static func descriptor(of file: String) -> Int32? {
        (FileContents.names(in: "/proc/self/fd") ?? []).compactMap { Int32($0) }.first { descriptor in
            var bytes = [CChar](repeating: 0, count: 4_096)
            let length = readlink("/proc/self/fd/\(descriptor)", &bytes, bytes.count)
            guard length > 0 else { return false }
            return String(decoding: bytes.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) == file
        }
    }
}
