import IPCTools

/// Whose the store is, and who may read it.
struct StoreOwnerCheck: Check {
    static let name = "store-owner"
    static let words = ["store-foreign", "store-open"]

    func findings(in facts: Facts) -> [Finding] {
        let store = facts.store
        guard store.directory.kind == .directory else { return [] }
        let all = [store.directory] + store.files
        if let foreign = all.first(where: { $0.owner != facts.user.id }) {
            return [
                .problem(
                    Self.words[0],
                    "\(foreign.path) belongs to user \(foreign.owner), and the broker runs as user \(facts.user.id)",
                    mend: ShellLine.command(
                        "chown", "-R", "\(facts.user.id)", "--", store.path, asRoot: !facts.user.isRoot))
            ]
        }
        guard let open = all.first(where: \.isOpenToOthers) else { return [] }
        return [
            .problem(
                Self.words[1],
                "others may read \(open.path): its mode is \(octal(open.mode)), and not "
                    + (open.kind == .directory ? "0700" : "0600"),
                mend: ShellLine.command("chmod", "-R", "go=", "--", store.path))
        ]
    }

    func assurance(in facts: Facts) -> String? {
        facts.store.directory.isThere ? "\(facts.store.path) can be read by this user alone" : nil
    }
}

/// On what kind of file system the store lies.
struct StorePlaceCheck: Check {
    static let name = "store-place"
    static let words = ["store-in-memory", "store-on-network"]

    func findings(in facts: Facts) -> [Finding] {
        let system = facts.store.fileSystem
        let place = "\(facts.store.path) lies on \(system.mountPoint) (\(system.type))"
        if system.isInMemory {
            return [
                .note(Self.words[0], place + ", in memory: nothing of it survives a restart", mend: mend(facts))
            ]
        }
        guard system.isRemote else { return [] }
        return [
            .note(
                Self.words[1], place + ", on another machine: what was acknowledged is as safe as that one makes it",
                mend: mend(facts))
        ]
    }

    func assurance(in facts: Facts) -> String? {
        guard facts.store.directory.isThere else { return nil }
        return "\(facts.store.path) lies on \(facts.store.fileSystem.mountPoint) (\(facts.store.fileSystem.type))"
    }

    /// Names another place. The store stays where it is, for what is in it may be wanted still.
    private func mend(_ facts: Facts) -> String {
        let configuration = facts.configuration
        let other = "/var/tmp/swift-ipc-\(facts.user.id)"
        let end = facts.broker.process.map(ShellLine.end)
        if let line = configuration.line(of: "directory", in: "[Store]") {
            // Without the line it has its usual place.
            return ShellLine.all(
                ShellLine.commentOut([line...line], of: configuration.path, asRoot: !configuration.isWritable), end)
        }
        return ShellLine.all(
            ShellLine.command("mkdir", "-p", "--", FilePlace.directory(of: configuration.path)),
            "printf '\\n[Store]\\ndirectory=%s\\n' \(ShellLine.word(other)) >>\(ShellLine.word(configuration.path))",
            end)
    }
}

extension ConfigurationFacts {
    /// The number of the line of a key, from 1.
    func line(of key: String, in group: String) -> Int? {
        var current = ""
        for (index, line) in (lines ?? []).enumerated() {
            let text = line.trimmed
            if text.hasPrefix("[") { current = text }
            if current == group, text.prefix(while: { $0 != "=" }).trimmed == key, text.contains("=") {
                return index + 1
            }
        }
        return nil
    }
}

/// Whether the store can be written, and what became of it.
struct StoreHealthCheck: Check {
    static let name = "store-health"
    static let words = ["store-gone", "store-no-folder", "store-read-only", "store-full", "store-damaged"]

    /// Below this, and below a twentieth of the file system, a disk counts as full.
    static let leastFree: UInt64 = 64 << 20

    func findings(in facts: Facts) -> [Finding] {
        let store = facts.store
        guard store.directory.kind == .directory else { return [missing(facts)].compactMap(\.self) }
        return [readOnly(facts), full(facts), damaged(store)].compactMap(\.self)
    }

    func assurance(in facts: Facts) -> String? {
        guard facts.store.directory.isThere else { return nil }
        let free = ByteSize.text(facts.store.fileSystem.free)
        return "the store can be written, with \(free) free, and nothing is damaged"
    }

    private func missing(_ facts: Facts) -> Finding? {
        let path = facts.store.path
        if facts.store.directory.isThere {
            return .problem(
                Self.words[1], "\(path), where the store is to be, is no folder",
                mend: ShellLine.command("mv", "--", path, path + ".away"))
        }
        guard facts.store.source == .broker, let process = facts.broker.process else { return nil }
        return .problem(
            Self.words[0],
            "the store of the broker that runs, \(path), was moved or removed: what is written now is gone with the broker; "
                + "'ipc-client export FOLDER' saves what can be saved, and then the broker is to begin anew",
            mend: ShellLine.end(process))
    }

    private func readOnly(_ facts: Facts) -> Finding? {
        let store = facts.store
        if store.fileSystem.isReadOnly {
            return .problem(
                Self.words[2], "\(store.path) cannot be written: \(store.fileSystem.mountPoint) is mounted read-only",
                mend: ShellLine.command(
                    "mount", "-o", "remount,rw", store.fileSystem.mountPoint, asRoot: !facts.user.isRoot))
        }
        guard let file = ([store.directory] + store.files).first(where: { !$0.isWritable }) else { return nil }
        return .problem(
            Self.words[2], "\(file.path) cannot be written: its mode is \(octal(file.mode))",
            mend: ShellLine.command("chmod", "-R", "u+rwX", "--", store.path))
    }

    private func full(_ facts: Facts) -> Finding? {
        let system = facts.store.fileSystem
        guard system.size > 0, system.free < min(Self.leastFree, system.size / 20) else { return nil }
        return .problem(
            Self.words[3],
            "\(system.mountPoint), with the store on it, has \(ByteSize.text(system.free)) left; what cannot be stored is "
                + "refused",
            mend: "\(facts.tool.command) prune --history")
    }

    private func damaged(_ store: StoreFacts) -> Finding? {
        guard let first = store.putAway.first else { return nil }
        let kept = store.path + ".damaged"
        return .note(
            Self.words[4],
            "the store was damaged once; what passed its checksums was brought over, and the rest is kept as "
                + "\(store.path)/\(first)",
            mend: ShellLine.all(
                ShellLine.command("mkdir", "-p", "-m", "0700", "--", kept),
                "mv -- \(store.putAway.map { ShellLine.word("\(store.path)/\($0)") }.joined(separator: " ")) "
                    + ShellLine.word(kept)))
    }
}

/// Whether another broker has the store.
struct StoreLockCheck: Check {
    static let name = "store-lock"
    static let words = ["store-in-use"]

    func findings(in facts: Facts) -> [Finding] {
        // Whose broker it is cannot be known without the bus.
        guard facts.bus.isReachable, let holder = facts.store.holder, holder != facts.broker.process else { return [] }
        return [
            .problem(
                Self.words[0],
                "process \(holder) has \(facts.store.path) in use, and it is not the broker of this bus; one store has "
                    + "one broker",
                mend: ShellLine.end(holder))
        ]
    }

    func assurance(in facts: Facts) -> String? {
        facts.store.holder.map { "the store is in the hands of the broker, process \($0)" }
    }
}
