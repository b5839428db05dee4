import IPCModel
import IPCStore

/// What a store is to do, in the plainest way: everything in arrays, nothing shared, nothing counted twice.
struct ModelStore {
    struct Version: Equatable {
        var count: UInt64
        var items: [PasteboardItem]
        var isOnce = false
        var life: Life?
        /// When it ends, by the uptime.
        var deadline: UInt64? { life?.deadline }
    }

    /// How long a version lives.
    struct Life: Equatable {
        var deadline: UInt64
        /// By the clock of the day, when it was written and when it ends.
        let written: UInt64
        let ends: UInt64

        /// What a restart makes of it.
        mutating func restart(at now: UInt64, uptime: UInt64) {
            deadline = uptime + min(ends - written, now < ends ? ends - now : 0)
        }
    }

    /// What a reader has taken and can have again.
    struct Taken {
        let name: PasteboardName
        let items: [PasteboardItem]
        let count: UInt64
        let time: UInt64
        let deadline: UInt64?
    }

    /// An open request, and what goes with it.
    struct Request: Equatable {
        let record: RequestRecord
        /// Nil where nothing is kept with it.
        var items: [PasteboardItem]?
        var attempts: UInt32 = 0
        var outcome: Outcome?
        /// When it ended, by the clock of the day.
        var ended: UInt64 = 0
    }

    struct Board: Equatable {
        var isPersistent: Bool
        var limit: Int
        var versions: [Version]

        mutating func append(_ version: Version) {
            if versions.last?.isOnce == true { versions.removeLast() }
            versions.append(version)
            trim()
        }

        /// Lets go of what is over; whether an empty version is to take the place of the current one.
        mutating func end(at uptime: UInt64) -> Bool {
            let isOver = versions.last.map { ($0.deadline ?? .max) <= uptime } ?? false
            versions.removeAll { ($0.deadline ?? .max) <= uptime }
            return isOver
        }

        mutating func trim() {
            versions.removeFirst(max(0, versions.count - limit - 1))
        }
    }

    var boards: [PasteboardName: Board] = [:]
    var taken: [RequestID: Taken] = [:]
    /// The items of all that was ever taken with an id: so many may be held beside those of the pasteboards.
    var itemsTaken = 0
    var repeated: [RequestID: UInt64] = [:]
    /// In the order of acceptance.
    var requests: [Request] = []

    /// What is left after the store ended: pasteboards in memory are gone, and what they had given to be taken again.
    mutating func restart(general: Board, at now: UInt64, uptime: UInt64) {
        let inMemory = boards.filter { !$0.value.isPersistent }.map(\.key)
        for name in inMemory { boards[name] = nil }
        if boards[.general] == nil { boards[.general] = general }
        for name in boards.keys {
            for index in boards[name]?.versions.indices ?? 0..<0 {
                boards[name]?.versions[index].life?.restart(at: now, uptime: uptime)
            }
        }
        taken = [:]
        repeated = [:]
    }
}
