import IPCTools

extension Check {
    /// Whose the store is, and who may read it.
    static let storeOwner = Check("store-owner") { facts in
        let store = facts.store
        guard store.directory.kind == .directory else { return [] }
        let all = [store.directory] + store.files
        if let foreign = all.first(where: { $0.owner != facts.user.id }) {
            return [
                .problem(
                    .storeForeign,
                    "\(foreign.path) belongs to user \(foreign.owner), and the broker runs as user \(facts.user.id)",
                    mend: ShellLine.command(
                        "chown", "-R", "\(facts.user.id)", "--", store.path, asRoot: !facts.user.isRoot))
            ]
        }
        guard let open = all.first(where: \.isOpenToOthers) else { return [] }
        let right = open.kind == .directory ? "0700" : "0600"
        return [
            .problem(
                .storeOpen, "others may read \(open.path): its mode is \(open.octalMode), and not \(right)",
                mend: ShellLine.command("chmod", "-R", "go=", "--", store.path))
        ]
    } right: { facts in
        facts.store.directory.isThere ? "\(facts.store.path) can be read by this user alone" : nil
    }

    /// Whether the store can be written, and what became of it.
    static let storeHealth = Check("store-health") { facts in
        guard facts.store.directory.kind == .directory else { return [facts.missingStore].compactMap(\.self) }
        return [facts.readOnlyStore, facts.fullStore, facts.damagedStore].compactMap(\.self)
    } right: { facts in
        guard facts.store.directory.isThere else { return nil }
        let free = ByteSize.text(facts.store.fileSystem.free)
        return "the store can be written, with \(free) free, and nothing is damaged"
    }

    /// Whether another broker has the store.
    static let storeLock = Check("store-lock") { facts in
        // Whose broker it is cannot be known without the bus.
        guard facts.bus.isReachable, let holder = facts.store.holder, holder != facts.broker.process else { return [] }
        return [
            .problem(
                .storeInUse,
                "process \(holder) has \(facts.store.path) in use, and it is not the broker of this bus; one store has "
                    + "one broker",
                mend: ShellLine.end(holder))
        ]
    } right: { facts in
        facts.store.holder.map { "the store is in the hands of the broker, process \($0)" }
    }
}

extension Facts {
    fileprivate var missingStore: Finding? {
        let path = store.path
        if store.directory.isThere {
            return .problem(
                .storeNoFolder, "\(path), where the store is to be, is no folder",
                mend: ShellLine.command("mv", "--", path, path + ".away"))
        }
        guard store.source == .broker, let process = broker.process else { return nil }
        return .problem(
            .storeGone,
            "the store of the broker that runs, \(path), was moved or removed: what is written now is gone with the broker; "
                + "'ipc-client export FOLDER' saves what can be saved, and then the broker is to begin anew",
            mend: ShellLine.end(process))
    }

    fileprivate var readOnlyStore: Finding? {
        if store.fileSystem.isReadOnly {
            return .problem(
                .storeReadOnly, "\(store.path) cannot be written: \(store.fileSystem.mountPoint) is mounted read-only",
                mend: ShellLine.command("mount", "-o", "remount,rw", store.fileSystem.mountPoint, asRoot: !user.isRoot))
        }
        guard let file = ([store.directory] + store.files).first(where: { !$0.isWritable }) else { return nil }
        return .problem(
            .storeReadOnly, "\(file.path) cannot be written: its mode is \(file.octalMode)",
            mend: ShellLine.command("chmod", "-R", "u+rwX", "--", store.path))
    }

    /// A disk counts as full below 64 MiB and below a twentieth of the file system.
    fileprivate var fullStore: Finding? {
        let system = store.fileSystem
        guard system.size > 0, system.free < min(64 << 20, system.size / 20) else { return nil }
        return .problem(
            .storeFull,
            "\(system.mountPoint), with the store on it, has \(ByteSize.text(system.free)) left; what cannot be stored is "
                + "refused",
            mend: "\(tool.command) prune --history")
    }

    fileprivate var damagedStore: Finding? {
        guard let first = store.putAway.first else { return nil }
        let kept = store.path + ".damaged"
        return .note(
            .storeDamaged,
            "the store was damaged once; what passed its checksums was brought over, and the rest is kept as "
                + "\(store.path)/\(first)",
            mend: ShellLine.all(
                ShellLine.command("mkdir", "-p", "-m", "0700", "--", kept),
                "mv -- \(store.putAway.map { ShellLine.word("\(store.path)/\($0)") }.joined(separator: " ")) "
                    + ShellLine.word(kept)))
    }
}
