import IPCModel
import IPCStore

/// A model of the store in the simplest form: plain arrays and dictionaries, in which nothing is shared.
struct ModelStore {
    struct Version: Equatable {
        var count: UInt64
        var items: [PasteboardItem]
        var isOnce = false
        var life: Life?
        /// The uptime at which the version expires; `nil` if it never does.
        var deadline: UInt64? { life?.deadline }
    }

    /// The lifetime of a version.
    struct Life: Equatable {
        var deadline: UInt64
        /// The wall-clock times at which the version was written and at which it expires.
        let written: UInt64
        let ends: UInt64

        /// Adjusts the deadline to a restart of the store, which may have a different uptime.
        mutating func restart(at now: UInt64, uptime: UInt64) {
            deadline = uptime + min(ends - written, now < ends ? ends - now : 0)
        }
    }

    /// Content that a reader has taken and can get again.
    struct Taken {
        let name: PasteboardName
        let items: [PasteboardItem]
        let count: UInt64
        let time: UInt64
        let deadline: UInt64?
    }

    /// An open request, with its content.
    struct Request: Equatable {
        let record: RequestRecord
        /// The kept items; `nil` if the request has no payload.
        var items: [PasteboardItem]?
        var attempts: UInt32 = 0
        var outcome: Outcome?
        /// The wall-clock time at which the request ended; 0 before that.
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

        /// Removes expired versions; returns whether an empty version must replace the current one.
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
    /// The number of items ever taken by calls with an id. The store may keep this many in addition to the items on the
    /// pasteboards.
    var itemsTaken = 0
    var repeated: [RequestID: UInt64] = [:]
    /// All requests, in the order in which they were accepted.
    var requests: [Request] = []

    /// The state after the store was closed: pasteboards in memory are gone, and so is the content taken from them.
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
