/// What a file becomes when what was written is taken back.
enum TakenBack: Sendable, Hashable {
    /// It is as it was before.
    case unchanged
    /// What stood there before, or what somebody else has written with ours taken out; `nil`: nothing.
    case restored(FileState?)
    /// Somebody else has changed it, and nothing in it is ours alone.
    case foreign
}

extension FileJournal.Entry {
    func state(from current: FileState?) -> TakenBack {
        if current?.bytes == before?.bytes { return .unchanged }
        guard let current else { return own == nil ? .foreign : .unchanged }
        if current.bytes == after { return .restored(before) }
        guard let own else { return .foreign }
        let rest = withdrawn(own, from: current)
        return rest == current ? .unchanged : .restored(rest)
    }

    /// A file without our entries; nothing where nothing else is in a file that we have made.
    private func withdrawn(_ own: OwnEntries, from state: FileState) -> FileState? {
        var lines = KeyFile(bytes: state.bytes)
        lines.withdraw(own)
        let bytes = lines.bytes
        return bytes.isEmpty && before == nil ? nil : FileState(bytes: bytes, mode: state.mode)
    }
}

extension FileJournal {
    /// Lets go of what another purpose wrote before this one did and now takes back.
    /// - Returns: whether this one has written over it.
    mutating func giveUp(_ other: Entry) -> Bool {
        guard let place = entries.firstIndex(where: { $0.path == other.path }) else { return false }
        let standing = entries[place].before
        if standing?.bytes == other.after {
            entries[place].before = other.before
        } else if other.own != nil, case .restored(let state) = other.state(from: standing) {
            entries[place].before = state
        } else {
            return false
        }
        // What the other one had made may be ours to take away now.
        entries[place].own = entries[place].own.map { KeyFile(bytes: entries[place].before?.bytes ?? []).renewed($0) }
        let written = FileState(bytes: entries[place].after, mode: other.before?.mode ?? FileState.usualMode)
        if other.own != nil, case .restored(let state) = other.state(from: written) {
            entries[place].after = state?.bytes ?? []
        }
        return true
    }
}
