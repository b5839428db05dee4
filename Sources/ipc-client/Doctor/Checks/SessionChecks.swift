import IPCDesktop

extension Check {
    /// `XDG_RUNTIME_DIR` (XDG Base Directory Specification): sockets and what ends with the session lie there.
    static let runtimeDirectory = Check("runtime-directory") { facts in
        guard let directory = facts.runtimeDirectory, directory.kind == .directory else {
            let named = facts.variable("XDG_RUNTIME_DIR")
            let sentence =
                named.map { "XDG_RUNTIME_DIR is \($0), and there is no such directory" } ?? "XDG_RUNTIME_DIR is not set"
            // The bus can do without; direct connections and transient registrations cannot.
            return [
                .finding(
                    isProblem: !facts.bus.isReachable, .runtimeDirectoryMissing, sentence,
                    mend: facts.ownRuntimeDirectory)
            ]
        }
        let path = directory.path
        guard directory.owner == facts.user.id else {
            let sentence =
                "XDG_RUNTIME_DIR, \(path), belongs to user \(directory.owner) and not to user \(facts.user.id)"
            return [.problem(.runtimeDirectoryForeign, sentence, mend: facts.ownRuntimeDirectory)]
        }
        guard directory.mode != 0o700 else { return [] }
        return [
            .problem(
                .runtimeDirectoryOpen,
                "XDG_RUNTIME_DIR, \(path), has the mode \(directory.octalMode); it has to be 0700",
                mend: ShellLine.command("chmod", "0700", path))
        ]
    } right: { facts in
        facts.runtimeDirectory.map { "XDG_RUNTIME_DIR is \($0.path), this user's alone" }
    }

    /// Whether there is a session bus.
    static let sessionBus = Check("bus") { facts in
        let other = facts.bus.otherAddress.map { "export DBUS_SESSION_BUS_ADDRESS=" + ShellLine.word($0) }
        let mend = other ?? facts.ownBus
        if let failure = facts.bus.failure {
            let isMissing = facts.variable("DBUS_SESSION_BUS_ADDRESS") == nil
            return [.problem(isMissing ? .busAddressMissing : .busUnreachable, failure, mend: mend)]
        }
        guard facts.bus.isSystemBus else { return [] }
        let sentence = "the session bus of this environment is the system bus, which the broker refuses to serve"
        return [.problem(.busIsSystem, sentence, mend: mend)]
    } right: { facts in
        let place = facts.variable("DBUS_SESSION_BUS_ADDRESS") ?? "the socket “bus” in XDG_RUNTIME_DIR"
        return "the session bus can be reached: \(place)" + (facts.bus.hasSystemd ? ", with systemd" : "")
    }

    /// Whether the store that this shell names is the broker's.
    static let environment = Check("environment") { facts in
        guard let unused = facts.store.unused else { return [] }
        return [
            .note(
                .storeElsewhere,
                "SWIFT_IPC_STORE is \(unused) in this shell, and the broker has \(facts.store.path): the variable counts only "
                    + "where the broker is started with it", mend: "unset SWIFT_IPC_STORE")
        ]
    } right: { facts in
        facts.bus.environment == nil ? nil : "this shell and the bus agree where the store is"
    }

    /// `ipc-broker.conf`: the broker does not start with a mistake in it.
    static let configuration = Check("configuration") { facts in
        let configuration = facts.configuration
        if let reason = configuration.unreadable {
            return [
                .problem(
                    .configurationUnreadable, "the broker cannot read \(configuration.path): \(reason)",
                    mend: ShellLine.command("mv", "--", configuration.path, configuration.path + ".unreadable"))
            ]
        }
        guard let first = configuration.mistakes.first else { return [] }
        let count = configuration.mistakes.count
        let others = count > 1 ? "; and \(count - 1) more" : ""
        return [
            .problem(
                .configurationWrong,
                "the broker does not start with \(configuration.path):\(first.lines.lowerBound): \(first.reason)\(others)",
                mend: ShellLine.commentOut(
                    configuration.mistakes.map(\.lines), of: configuration.path, asRoot: !configuration.isWritable))
        ]
    } right: { facts in
        let path = facts.configuration.path
        return facts.configuration.lines == nil ? "there is no \(path), and none is needed" : "\(path) is right"
    }
}

extension Facts {
    /// Names a runtime directory of this user's own.
    fileprivate var ownRuntimeDirectory: String {
        if let usual = usualRuntimeDirectory, usual.kind == .directory, usual.owner == user.id {
            return "export XDG_RUNTIME_DIR=" + ShellLine.word(usual.path)
        }
        return #"export XDG_RUNTIME_DIR="$(mktemp -d)""#
    }

    /// Begins a bus for this shell. dbus-daemon looks for data in the home of the password file, so with another `HOME` it is
    /// told where.
    fileprivate var ownBus: String {
        guard let own = directories.dataHome, let home = user.home, own != home + "/.local/share" else {
            return ShellLine.ownBus
        }
        return ShellLine.all("export XDG_DATA_HOME=" + ShellLine.word(own), ShellLine.ownBus)
    }
}
