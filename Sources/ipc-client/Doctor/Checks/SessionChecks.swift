/// `XDG_RUNTIME_DIR` (XDG Base Directory Specification): sockets and what ends with the session lie there.
struct RuntimeDirectoryCheck: Check {
    static let name = "runtime-directory"
    static let words = ["runtime-directory-missing", "runtime-directory-foreign", "runtime-directory-open"]

    func findings(in facts: Facts) -> [Finding] {
        guard let directory = facts.runtimeDirectory, directory.kind == .directory else { return [missing(facts)] }
        let path = directory.path
        guard directory.owner == facts.user.id else {
            return [
                .problem(
                    Self.words[1],
                    "XDG_RUNTIME_DIR, \(path), belongs to user \(directory.owner) and not to user \(facts.user.id)",
                    mend: own(facts))
            ]
        }
        guard directory.mode != 0o700 else { return [] }
        return [
            .problem(
                Self.words[2], "XDG_RUNTIME_DIR, \(path), has the mode \(octal(directory.mode)); it has to be 0700",
                mend: ShellLine.command("chmod", "0700", path))
        ]
    }

    func assurance(in facts: Facts) -> String? {
        facts.runtimeDirectory.map { "XDG_RUNTIME_DIR is \($0.path), this user's alone" }
    }

    private func missing(_ facts: Facts) -> Finding {
        let named = facts.variables["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 }
        let sentence =
            named.map { "XDG_RUNTIME_DIR is \($0), and there is no such directory" } ?? "XDG_RUNTIME_DIR is not set"
        // The bus can do without; direct connections and transient registrations cannot.
        return facts.bus.isReachable
            ? .note(Self.words[0], sentence, mend: own(facts)) : .problem(Self.words[0], sentence, mend: own(facts))
    }

    /// Names a directory of this user's own.
    private func own(_ facts: Facts) -> String {
        if let usual = facts.usualRuntimeDirectory, usual.kind == .directory, usual.owner == facts.user.id {
            return "export XDG_RUNTIME_DIR=" + ShellLine.word(usual.path)
        }
        return #"export XDG_RUNTIME_DIR="$(mktemp -d)""#
    }
}

/// Whether there is a session bus.
struct BusCheck: Check {
    static let name = "bus"
    static let words = ["bus-address-missing", "bus-unreachable", "bus-is-system"]

    func findings(in facts: Facts) -> [Finding] {
        let address = facts.variables["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
        if let failure = facts.bus.failure {
            return [.problem(address == nil ? Self.words[0] : Self.words[1], failure, mend: mend(facts))]
        }
        guard facts.bus.isSystemBus else { return [] }
        return [
            .problem(
                Self.words[2],
                "the session bus of this environment is the system bus, which the broker refuses to serve",
                mend: mend(facts))
        ]
    }

    func assurance(in facts: Facts) -> String? {
        let address = facts.variables["DBUS_SESSION_BUS_ADDRESS"] ?? ""
        let place = address.isEmpty ? "the socket “bus” in XDG_RUNTIME_DIR" : address
        return "the session bus can be reached: \(place)" + (facts.bus.hasSystemd ? ", with systemd" : "")
    }

    private func mend(_ facts: Facts) -> String {
        if let other = facts.bus.otherAddress { return "export DBUS_SESSION_BUS_ADDRESS=" + ShellLine.word(other) }
        return facts.ownBus
    }
}

/// Whether scripts find these tools.
struct PathCheck: Check {
    static let name = "path"
    static let words = ["path-without-tools", "path-to-other-tools"]

    func findings(in facts: Facts) -> [Finding] {
        guard facts.tool.found != facts.tool.path else { return [] }
        let mend = "export PATH=\(ShellLine.word(facts.tool.directory)):\"$PATH\""
        guard let found = facts.tool.found else {
            return [.note(Self.words[0], "\(facts.tool.directory), with ipc-client in it, is not in PATH", mend: mend)]
        }
        let sentence = "PATH leads to another ipc-client, \(found), not to \(facts.tool.path)"
        return [.note(Self.words[1], sentence, mend: mend)]
    }

    func assurance(in facts: Facts) -> String? { "PATH leads to \(facts.tool.path)" }
}

/// `0700`
func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
