import Glibc
import IPCModel
import IPCStore
import IPCTesting
import Testing

/// The cost of large values: disk space, memory and threads.
@Suite(.serialized) struct IntakeTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    @Test(.enabled(if: SmallFileSystem.isPossible, "a file system can be mounted"))
    func fullDiskRejectsFilesAndTheStoreRecovers_I4() async throws {
        let disk = try #require(SmallFileSystem())
        let store = try Store.open(place.configuration(disk.path + "/store"))
        try await store.put([ValueFile.sealed.item(ValueFile.pattern(200_000))], on: board, persistent: true)
        try await store.commit { try $0.setHistoryLimit(0, of: board) }
        var content = ValueFile.pattern(200_000)
        for round in 0..<20 {
            // The space of replaced content is released by another thread, or even later if a process forked by another
            // test has the file open. So fill the disk again and again until no space is left.
            try await store.removals()
            var isRefused = false
            while !isRefused {
                disk.fill()
                let asked = ValueFile.pattern(150_000, seed: UInt64(100 + round))
                do {
                    try await store.put([ValueFile.regular.item(asked)], on: board, persistent: true)
                    content = asked
                } catch StoreError.noSpace { isRefused = true }
            }
            try await store.removals()
            #expect(try await store.blobs().count == 1)
            let kept = try await store.commit { try $0.items(of: board).items }
            #expect(try kept[0].firstBytes == content)
            // Operations that need no disk continue.
            try await store.put([ValueFile.regular.item(ValueFile.pattern(150_000))], on: .general, persistent: false)
            disk.empty()
            let next = ValueFile.pattern(200_000, seed: UInt64(round + 1))
            try await store.put([ValueFile.sealed.item(next)], on: board, persistent: true)
            try await store.removals()
            let image = try Store.open(place.crashImage(of: disk.path + "/store", "image-\(round)"))
            #expect(try await image.commit { try $0.items(of: board).items }[0].firstBytes == next)
            try await image.close()
            content = next
        }
        try await store.close()
    }

    @Test(.enabled(if: SmallFileSystem.isPossible, "a file system can be mounted"))
    func fileThatFillsTheDiskLeavesNothingBehind_I4() async throws {
        let disk = try #require(SmallFileSystem())
        let store = try Store.open(place.configuration(disk.path + "/store"))
        for _ in 0..<20 {
            await #expect(throws: StoreError.noSpace) {
                let items = [ValueFile.regular.item(ValueFile.pattern(16 << 20))]
                try await store.put(items, on: board, persistent: true)
            }
            // The space that the rejected value used is free again as soon as the caller gets the error.
            try await store.put([ValueFile.regular.item(ValueFile.pattern(300_000))], on: board, persistent: true)
        }
        try await store.close()
    }

    @Test(arguments: [true, false])
    func largeValuesAreNotInTheMemoryOfTheProcess_I16(persistent: Bool) async {
        await #expect(processExitsWith: .success) { [persistent] in
            let place = try TestPlace()
            let store = try place.open()
            let block = ValueFile.pattern(1 << 20)
            // The first write starts threads and prepares statements, which also uses memory.
            try await store.put([ValueFile.sealed.item(block)], on: .named("first"), persistent: persistent)
            let empty = ValueFile.unsealed.make([])
            let file = ContentFile(owning: dup(empty.descriptor), byteCount: 256 << 20)
            for _ in 0..<256 { ValueFile.write(block, to: file.descriptor) }
            let before = ThisProcess.anonymousBytes
            try await store.put([.file(file)], on: .named("a"), persistent: persistent)
            _ = try await store.commit { try $0.items(of: .named("a")).facts }
            #expect(ThisProcess.anonymousBytes - before < 8 << 20)
            // The control: reading the content into an array of bytes does increase the memory of the process.
            let held = try await store.commit { try $0.items(of: .named("a")).items[0].firstBytes }
            #expect(ThisProcess.anonymousBytes - before > 200 << 20 && held.count == 256 << 20)
            try await store.close()
        }
    }

    @Test func smallFilesDoNotWaitForLargeOnes_I15() async {
        // This runs in its own process, because other tests use the threads of Swift's task pool.
        await #expect(processExitsWith: .success) {
            let place = try TestPlace()
            let store = try place.open()
            let large = ValueFile.sealed.make(ValueFile.pattern(256 << 20))
            let copies = (0..<4).map { _ in
                Task { try await store.intake.take([.file(large)], persistent: true, sensitive: false).count }
            }
            for _ in 0..<20 {
                _ = try await store.intake.take(
                    [ValueFile.sealed.item(ValueFile.pattern(100_000))], persistent: false, sensitive: false)
            }
            // All small files are complete, but at least one large copy is still running and can be cancelled.
            for copy in copies { copy.cancel() }
            var cancelled = 0
            for copy in copies { if case .failure = await copy.result { cancelled += 1 } }
            #expect(cancelled > 0)
            #expect(try await store.blobs().isEmpty)
            try await store.close()
        }
    }

    @Test func manyConcurrentIntakesShareAFewThreads() async {
        await #expect(processExitsWith: .success) {
            let place = try TestPlace()
            let store = try place.open()
            let bytes = ValueFile.pattern(100_000)
            try await store.put([ValueFile.regular.item(bytes)], on: .named("a"), persistent: true)
            let before = try FolderEntries.threads
            let most = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let items = [ValueFile.regular.item(bytes)]
                        try await store.put(items, on: .named("\(number)"), persistent: number % 2 == 0)
                        return try FolderEntries.threads
                    }
                }
                return try await group.reduce(0) { max($0, $1) }
            }
            #expect(most - before < 16)
            #expect(try await store.commit { $0.usage().total.pasteboards } == 202)
            try await store.close()
        }
    }
}

private enum FolderEntries {
    /// The threads of this process.
    static var threads: Int {
        get throws {
            guard let folder = opendir("/proc/self/task") else { throw CancellationError() }
            defer { closedir(folder) }
            var count = -2
            while readdir(folder) != nil { count += 1 }
            return count
        }
    }
}
