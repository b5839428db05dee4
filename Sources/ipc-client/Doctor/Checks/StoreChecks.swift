import IPCModel
import IPCTools

extension Check {
    /// Checks that the broker can use its store, and that the store is complete.
    static let store = Check("store", right: "the store can be written, and nothing is damaged") { facts in
        if let lost = facts.lostStore { return [lost] }
        guard facts.store.directory.kind == .directory else { return nil }
        return [facts.foreignStore, facts.readOnlyStore, facts.fullStore, facts.damagedStore, facts.storeInUse]
            .compactMap(\.self)
    }
}

extension Facts {
    /// The finding that the store was removed or replaced. Only the broker can tell, because another file may have the
    /// same name as one that the broker has open.
    fileprivate var lostStore: Finding? {
        guard let problem = store.problem, let process = broker.process else { return nil }
        return Finding(.storeGone, problem, fix: ShellLine.end(process))
    }

    fileprivate var foreignStore: Finding? {
        guard let foreign = ([store.directory] + store.files).first(where: { $0.owner != user }) else { return nil }
        return Finding(
            .storeForeign, "\(foreign.path) belongs to user \(foreign.owner), but the broker runs as user \(user)",
            fix: asRoot + ShellLine.command("chown", "-R", "\(user)", "--", store.path))
    }

    fileprivate var readOnlyStore: Finding? {
        guard store.isReadOnly else { return nil }
        // stat(1) prints the mount point.
        let mountPoint = #""$(stat -c %m -- \#(ShellLine.word(store.path)))""#
        return Finding(
            .storeReadOnly, "\(store.path) cannot be written: its file system is mounted read-only",
            fix: "\(asRoot)mount -o remount,rw \(mountPoint)")
    }

    /// The finding about a full disk: less than 64 MiB and less than a twentieth of the file system are free.
    fileprivate var fullStore: Finding? {
        guard store.size > 0, store.free < min(64 << 20, store.size / 20) else { return nil }
        return Finding(
            .storeFull,
            "the file system of \(store.path) has \(ByteSize.text(store.free)) left; the broker rejects content that "
                + "it cannot store", fix: "\(tool) board prune --history")
    }

    fileprivate var damagedStore: Finding? {
        guard let first = store.quarantined.first else { return nil }
        let kept = store.path + ".damaged"
        let files = store.quarantined.map { ShellLine.word("\(store.path)/\($0)") }.joined(separator: " ")
        return Finding(
            .storeDamaged,
            "the store was damaged; the broker kept all content with valid checksums, and the rest is in "
                + "\(store.path)/\(first)",
            fix: ShellLine.all(
                ShellLine.command("mkdir", "-p", "-m", "0700", "--", kept), "mv -- \(files) \(ShellLine.word(kept))"),
            level: .note)
    }

    fileprivate var storeInUse: Finding? {
        // Without the bus, the broker of this session is unknown.
        guard bus.isReachable, let holder = store.holder, holder != broker.process else { return nil }
        return Finding(
            .storeInUse,
            "process \(holder) uses \(store.path), but is not the broker of this bus; a store can have only one broker",
            fix: ShellLine.end(holder))
    }
}
