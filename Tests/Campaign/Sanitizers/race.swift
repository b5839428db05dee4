import Synchronization

/// Several tasks add to one number. With `-DRACE`, they do so without a lock.
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
        print(counter.count)
    }
}
