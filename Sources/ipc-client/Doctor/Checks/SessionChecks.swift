import IPCDesktop

extension Check {
    /// Checks `XDG_RUNTIME_DIR` (XDG Base Directory Specification), which contains a session's sockets and other files.
    static let runtimeDirectory = Check("runtime-directory", right: "XDG_RUNTIME_DIR is private") { facts in
        guard let directory = facts.runtimeDirectory, directory.kind == .directory else {
            let named = facts.variable("XDG_RUNTIME_DIR")
            // The bus works without this directory, but direct connections and transient registrations do not.
            return [
                Finding(
                    .runtimeDirectoryMissing,
                    named.map { "XDG_RUNTIME_DIR is \($0), but there is no such directory" }
                        ?? "XDG_RUNTIME_DIR is not set", fix: facts.ownRuntimeDirectory,
                    level: facts.bus.isReachable ? .note : .problem)
            ]
        }
        let path = directory.path
        guard directory.owner == facts.user else {
            let sentence = "XDG_RUNTIME_DIR, \(path), belongs to user \(directory.owner), not to user \(facts.user)"
            return [Finding(.runtimeDirectoryForeign, sentence, fix: facts.ownRuntimeDirectory)]
        }
        guard directory.mode != 0o700 else { return [] }
        return [
            Finding(
                .runtimeDirectoryOpen, "XDG_RUNTIME_DIR, \(path), has the mode \(directory.octalMode), not 0700",
                fix: ShellLine.command("chmod", "0700", path))
        ]
    }

    static let sessionBus = Check("bus", right: "the session bus can be reached") { facts in
        guard let failure = facts.bus.failure else { return [] }
        let stated = facts.variable("DBUS_SESSION_BUS_ADDRESS")
        let other = facts.sockets.map { "unix:path=\($0)" }.first { $0 != stated }
        return [
            Finding(
                stated == nil ? .busAddressMissing : .busUnreachable, failure,
                fix: other.map { "export DBUS_SESSION_BUS_ADDRESS=" + ShellLine.word($0) } ?? ShellLine.ownBus)
        ]
    }

    /// Checks `ipc-broker.conf`. If it has a mistake, the broker does not start.
    static let configuration = Check("configuration", right: "ipc-broker.conf is valid, or not needed") { facts in
        guard let mistake = facts.configuration.mistake else { return [] }
        let path = facts.configuration.path
        let place = path + (mistake.line.map { ":\($0)" } ?? "")
        return [
            Finding(
                .configurationWrong, "the broker does not start because of \(place): \(mistake.reason)",
                fix: facts.configuration.mistakenLines.map { ShellLine.edit(path, "\($0)s/^/#/") }
                    ?? ShellLine.command("mv", "--", path, path + ".unreadable"))
        ]
    }
}

extension Facts {
    /// The command that sets `XDG_RUNTIME_DIR` to a directory that this user owns.
    fileprivate var ownRuntimeDirectory: String {
        if usualRuntimeDirectory.kind == .directory, usualRuntimeDirectory.owner == user {
            return "export XDG_RUNTIME_DIR=" + ShellLine.word(usualRuntimeDirectory.path)
        }
        return #"export XDG_RUNTIME_DIR="$(mktemp -d)""#
    }
}
