import Glibc
import Synchronization

/// Several tasks and threads add to one number. With `-DRACE`, they do so without a lock.
final class Counter: @unchecked Sendable {
    private let locked = Mutex(0)
    private var unlocked = 0

    var count: Int { locked.withLock(\.self) + unlocked }

    func add() {
        #if RACE
            unlocked += 1
        #else
            locked.withLock { $0 += 1 }
        #endif
    }
}

@main
enum Race {
    static func main() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<300_000 { counter.add() } } }
        }
        addOnThreads(counter)
        print(counter.count)
    }

    /// On a busy machine, one thread may run all tasks. These are certainly two.
    private static func addOnThreads(_ counter: Counter) {
        let threads = (0..<2).map { _ in
            var thread = pthread_t()
            let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
                Unmanaged<Counter>.fromOpaque($0!).takeUnretainedValue().add()
                return nil
            }
            guard pthread_create(&thread, nil, body, Unmanaged.passUnretained(counter).toOpaque()) == 0 else { exit(1) }
            return thread
        }
        for thread in threads { pthread_join(thread, nil) }
    }
}
