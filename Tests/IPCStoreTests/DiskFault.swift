import Glibc
import IPCTesting

/// Makes the write-ahead log of an open store fail, in this process only and permanently.
///
/// `/dev/null` accepts each write but cannot be synchronized, like a disk that fails in `fdatasync`. The descriptors
/// are not restored afterwards: a failed store closes its files, and another test may then use the same descriptor
/// numbers.
enum DiskFault {
    /// Makes all open descriptors of a file refer to a device: both the one that SQLite writes to and the one that is
    /// flushed.
    ///
    /// If `mode` is `O_WRONLY`, each read fails.
    static func replace(_ file: String, by device: String, _ mode: Int32 = O_RDWR) -> Bool {
        let found = descriptors(of: file)
        let replacement = open(device, mode | O_CLOEXEC)
        guard !found.isEmpty, replacement >= 0 else { return false }
        defer { close(replacement) }
        return found.allSatisfy { dup2(replacement, $0) >= 0 }
    }

    private static func descriptors(of file: String) -> [Int32] {
        (FileContents.names(in: "/proc/self/fd") ?? []).compactMap { Int32($0) }.filter { descriptor in
            var bytes = [CChar](repeating: 0, count: 4_096)
            let length = readlink("/proc/self/fd/\(descriptor)", &bytes, bytes.count)
            guard length > 0 else { return false }
            return String(decoding: bytes.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) == file
        }
    }
}
