import IPCModel

/// What a store is to do, in the plainest way: everything in arrays, nothing shared, nothing counted twice.
struct ModelStore {
    struct Version: Equatable {
        var count: UInt64
        var items: [PasteboardItem]
    }

    struct Board: Equatable {
        var isPersistent: Bool
        var limit: Int
        var versions: [Version]

        mutating func append(_ version: Version) {
            versions.append(version)
            trim()
        }

        mutating func trim() {
            versions.removeFirst(max(0, versions.count - limit - 1))
        }
    }

    var boards: [PasteboardName: Board] = [:]
    var taken: [RequestID: (name: PasteboardName, items: [PasteboardItem], count: UInt64)] = [:]
    var repeated: [RequestID: UInt64] = [:]

    /// What is left after the store ended: pasteboards in memory are gone, and what they had given to be taken again.
    mutating func restart(general: Board) {
        let inMemory = boards.filter { !$0.value.isPersistent }.map(\.key)
        for name in inMemory { boards[name] = nil }
        if boards[.general] == nil { boards[.general] = general }
        taken = [:]
        repeated = [:]
    }
}
