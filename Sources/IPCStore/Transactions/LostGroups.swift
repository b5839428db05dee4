/// Groups with staged operations that did not reach the disk.
struct LostGroups {
    private var groups: Set<CommitGroup> = []
    /// Groups up to this one are all taken for lost: safe, and seldom wrong, because they are old.
    private var bound: UInt64 = 0

    func contains(_ group: CommitGroup) -> Bool { group.number <= bound || groups.contains(group) }

    mutating func insert(_ group: CommitGroup) {
        if groups.count >= 4_096 {
            groups.removeAll()
            bound = group.number - 1
        }
        groups.insert(group)
    }
}

/// The transaction of the group is gone, or cannot be kept.
struct GroupLost: Error {
    /// What those are told who wait for it.
    let reason: StoreError
}
