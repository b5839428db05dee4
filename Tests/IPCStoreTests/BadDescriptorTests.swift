import CLinux
import Glibc
import IPCModel
import IPCStore
import Synchronization
import Testing

/// File descriptors that hold no value, or whose content changes while the store reads it. The store must reject them,
/// or copy the content exactly, without waiting.
///
/// Each kind is tried in its own process, so that its open descriptors can be counted. The count may grow by a few that
/// timers and threads use.
@Suite(.serialized) struct BadDescriptorTests {
    static let tries = ThisProcess.isFullSize ? 2_000 : 50

    /// Descriptors from which no value can be taken.
    enum Bad: String, CaseIterable, Sendable, Codable {
        case pipe, fullPipe, folder, socket, zero, null, terminal, pathOnly, writeOnly, sparse, closed, epoll

        /// Creates a descriptor of this kind, and any other descriptors that must stay open while it is in use.
        func make() -> (descriptor: CInt, others: [CInt]) {
            switch self {
            case .pipe, .fullPipe:
                var ends: [CInt] = [0, 0]
                precondition(Glibc.pipe(&ends) == 0)
                if self == .fullPipe { _ = Glibc.write(ends[1], [UInt8](repeating: 1, count: 65_536), 65_536) }
                return (ends[0], [ends[1]])
            case .folder: return (open("/tmp", O_RDONLY | O_DIRECTORY), [])
            case .socket:
                var ends: [CInt] = [0, 0]
                precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
                return (ends[0], [ends[1]])
            case .zero: return (open("/dev/zero", O_RDONLY), [])
            case .null: return (open("/dev/null", O_RDONLY), [])
            case .terminal: return (open("/dev/ptmx", O_RDWR | O_NOCTTY), [])
            // O_PATH
            case .pathOnly: return (open("/proc/self/exe", 0o10000000), [])
            case .writeOnly: return (open("/tmp/swift-ipc-write-only-\(getpid())", O_WRONLY | O_CREAT, 0o600), [])
            case .sparse:
                let descriptor = clinux_memory_file("sparse")
                precondition(ftruncate(descriptor, 1 << 40) == 0)
                return (descriptor, [])
            case .closed: return (1_000_000, [])
            case .epoll: return (epoll_create1(0), [])
            }
        }
    }

    @Test(arguments: Bad.allCases)
    func badDescriptorIsRejectedImmediately(kind: Bad) async {
        await #expect(processExitsWith: .success) { [kind] in
            let place = try TestPlace()
            let store = try place.open()
            _ = try await store.swept()
            let base = ThisProcess.descriptors
            for round in 0..<Self.tries {
                let (descriptor, others) = kind.make()
                let file = ContentFile(owning: descriptor)
                do {
                    _ = try await store.intake.take([.file(file)], persistent: round % 2 == 0, sensitive: false)
                    Issue.record("\(kind) was taken")
                } catch let error as any Condition {
                    #expect(error.ipcError.code == (kind == .sparse ? .limitExceeded : .payloadInvalid))
                }
                for other in others { close(other) }
            }
            #expect(await ThisProcess.descriptors(downTo: base + 4) <= base + 4)
            #expect(try await store.blobs().isEmpty)
            unlink("/tmp/swift-ipc-write-only-\(getpid())")
            try await store.close()
        }
    }

    /// Sets of seals that do not prevent all changes to a memory file's content.
    enum Seals: CInt, CaseIterable, Sendable, Codable {
        case none = 0
        /// F_SEAL_SHRINK and F_SEAL_GROW
        case length = 6
        /// F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_FUTURE_WRITE
        case futureWrite = 22

        func make(_ bytes: [UInt8]) -> ContentFile {
            let file = ValueFile.unsealed.make(bytes)
            // F_ADD_SEALS
            if self != .none { precondition(fcntl(file.descriptor, 1_033, rawValue) == 0) }
            return file
        }
    }

    @Test(arguments: Seals.allCases)
    func mutableFileIsCopied(seals: Seals) async {
        await #expect(processExitsWith: .success) { [seals] in
            let place = try TestPlace()
            let store = try place.open()
            let bytes = ValueFile.pattern(100_000)
            for round in 0..<Self.tries {
                let name = PasteboardName.named(round % 2 == 0 ? "disk" : "memory")
                let file = seals.make(bytes)
                // With this mapping, the file can be changed after the store has read it.
                let mapping = mmap(nil, 100_000, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0)
                try await store.put([.file(file)], on: name, persistent: round % 2 == 0)
                if seals != .futureWrite { mapping?.storeBytes(of: 99, toByteOffset: 5, as: UInt8.self) }
                munmap(mapping, 100_000)
                // The file is sealed only after the store has read it, so the store must not treat it as a sealed file.
                clinux_seal(file.descriptor)
                let items = try await store.commit { try $0.items(of: name).items }
                #expect(try items[0].firstBytes == bytes)
            }
            try await store.close()
        }
    }

    @Test(arguments: [ValueFile.unsealed, .regular])
    func concurrentWriterCausesNoWrongDigest(kind: ValueFile) async {
        await #expect(processExitsWith: .success) { [kind] in
            let place = try TestPlace()
            let store = try place.open()
            _ = try await store.swept()
            let base = ThisProcess.descriptors
            let file = kind.make(ValueFile.pattern(300_000))
            let flipper = Flipper(file)
            for round in 0..<Self.tries {
                let name = PasteboardName.named(round % 2 == 0 ? "disk" : "memory")
                try await store.put([.file(file)], on: name, persistent: round % 2 == 0)
                let (one, facts) = try await store.commit { try $0.representation(0, .octetStream, of: name) }
                guard case .file(let copy) = one.value else { throw CancellationError() }
                #expect(try ContentDigest(of: copy) == facts.digest)
            }
            await flipper.end()
            try await store.commit { transaction in
                for name in ["disk", "memory"] { _ = try transaction.removePasteboard(.named(name)) }
            }
            #expect(try await store.blobs().isEmpty)
            #expect(ThisProcess.descriptors <= base + 4)
            try await store.close()
        }
    }

    @Test(arguments: [true, false])
    func fileTruncatedDuringTheCopyIsRejectedOrWhole(persistent: Bool) async {
        await #expect(processExitsWith: .success) { [persistent] in
            let place = try TestPlace()
            let store = try place.open()
            _ = try await store.swept()
            let base = ThisProcess.descriptors
            let bytes = ValueFile.pattern(2 << 20)
            for round in 0..<Self.tries {
                let file = ValueFile.unsealed.make(bytes)
                let cutter = Task.detached {
                    // The file is truncated before, during or after the store reads it, depending on the round.
                    for _ in 0..<round * 20 % 4_000 { sched_yield() }
                    ftruncate(file.descriptor, 4_096 * (round % 400))
                }
                do {
                    let taken = try await store.intake.take([.file(file)], persistent: persistent, sensitive: false)
                    #expect(try taken[0].firstBytes == bytes || taken[0].firstBytes.count < bytes.count)
                } catch let error as IPCError {
                    #expect(error.code == .payloadInvalid)
                }
                await cutter.value
            }
            // A file that was truncated before the store examines it is accepted as it is.
            let cut = ValueFile.unsealed.make(bytes)
            ftruncate(cut.descriptor, 100)
            let short = try await store.intake.take([.file(cut)], persistent: persistent, sensitive: false)
            #expect(try short[0].firstBytes == Array(bytes.prefix(100)))
            #expect(try await store.blobs().isEmpty)
            #expect(ThisProcess.descriptors <= base + 4)
            try await store.close()
        }
    }
}

/// Changes bytes of a file on its own thread until it is stopped.
private final class Flipper: Sendable {
    private let isEnding = Atomic(false)
    private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

    init(_ file: ContentFile) {
        task.withLock {
            $0 = Task.detached { [self] in
                var place = 0
                var byte: UInt8 = 0
                while !isEnding.load(ordering: .relaxed) {
                    byte &+= 1
                    pwrite(file.descriptor, &byte, 1, place)
                    place = (place + 7_919) % file.byteCount
                    if byte == 0 { await Task.yield() }
                }
            }
        }
    }

    func end() async {
        isEnding.store(true, ordering: .relaxed)
        await task.withLock { $0 }?.value
    }
}
