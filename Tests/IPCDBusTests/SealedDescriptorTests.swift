import Glibc
import IPCDBus
import Testing

struct SealedDescriptorTests {
    @Test func aFileIsFilledInPartsAndThenSealed() throws {
        var writer = try SealedFileWriter(name: "parts")
        for part in [[UInt8](repeating: 1, count: 70_000), [], [2, 3]] {
            try part.withUnsafeBytes { part in Result { () throws(SystemError) in try writer.append(part) } }.get()
        }
        try writer.shorten(to: 70_001)
        #expect(!Descriptor.isSealed(writer.descriptor))
        let file = Descriptor(owning: try writer.seal())
        var (status, last) = (stat(), [UInt8](repeating: 0, count: 4))
        #expect(file.isSealed && fstat(file.rawValue, &status) == 0 && status.st_size == 70_001)
        #expect(pread(file.rawValue, &last, 4, 69_999) == 2 && last == [1, 2, 0, 0])
        #expect(write(file.rawValue, last, 1) == -1)
    }

    private func sealed(_ bytes: [UInt8]) throws -> Descriptor {
        try bytes.withUnsafeBytes { try Descriptor.sealed(containing: $0, name: "test") }
    }

    private func content(_ file: Descriptor) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(lseek(file.rawValue, 0, SEEK_END)))
        let count = pread(file.rawValue, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    @Test(arguments: [0, 1, 65_537, 5 << 20])
    func aSealedFileHoldsTheBytes(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try sealed(bytes)
        #expect(file.isSealed && content(file) == bytes)
    }

    @Test func aSealedFileCannotBeChanged() throws {
        let file = try sealed([1, 2, 3])
        var byte: UInt8 = 9
        #expect(pwrite(file.rawValue, &byte, 1, 0) == -1 && errno == EPERM)
        #expect(ftruncate(file.rawValue, 1) == -1 && errno == EPERM)
        #expect(ftruncate(file.rawValue, 10) == -1 && errno == EPERM)
        #expect(content(file) == [1, 2, 3])
    }

    @Test func anyOtherFileIsNotSealed() throws {
        let name = "/tmp/swift-ipc-unsealed-\(getpid())"
        let file = Descriptor(owning: open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        unlink(name)
        #expect(!file.isSealed)
        #expect(!Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC)).isSealed)
        #expect(!Descriptor(owning: -1).isSealed)
    }

    @Test func anOverlongNameIsAnError() {
        let name = String(repeating: "a", count: 300)
        let error = #expect(throws: SystemError.self) {
            try [UInt8]().withUnsafeBytes { try Descriptor.sealed(containing: $0, name: name) }
        }
        #expect(error?.call == "memfd_create" && error?.code == EINVAL)
    }
}
