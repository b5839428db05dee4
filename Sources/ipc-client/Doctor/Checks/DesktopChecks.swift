import IPCDesktop

extension Check {
    /// Finds desktop entries that these tools wrote, or that run `ipc-client`, if the program is gone.
    static let desktopEntries = Check("desktop-entries", right: "desktop entries run existing programs") { facts in
        guard !facts.desktop.entries.isEmpty else { return nil }
        return facts.desktop.entries.compactMap { entry in
            guard entry.isOurs, let command = entry.command, let program = entry.program, !program.isProgram else {
                return nil
            }
            let line = "Exec=" + DesktopEntry.commandLine(facts.toolPath)
            return Finding(
                .entryProgramMissing, "\(entry.path) runs \(program.path), but there is no such program",
                fix: facts.sudo(entry.path) + ShellLine.replace(command, of: entry.path, with: line))
        }
    }

    /// Checks `mimeinfo.cache`, which programs that use GLib read instead of the entries.
    static let desktopCache = Check("desktop-cache", right: "the desktop's cache lists our entries") { facts in
        guard !facts.desktop.entries.isEmpty else { return nil }
        var directories: Set<String> = []
        return facts.desktop.entries.compactMap { entry in
            let cache = facts.desktop.caches[entry.directory] ?? [:]
            guard !entry.schemes.allSatisfy({ cache[$0]?.contains(entry.id) ?? false }),
                directories.insert(entry.directory).inserted
            else { return nil }
            let cacheFile = entry.directory + "/mimeinfo.cache"
            let update = facts.sudo(cacheFile) + ShellLine.command("update-desktop-database", entry.directory)
            return Finding(
                .cacheStale, "\(cacheFile) does not list \(entry.id), so links do not reach it",
                fix: facts.desktop.hasUpdater ? update : "sudo apt-get install -y desktop-file-utils && \(update)")
        }
    }

    /// Finds defaults in `mimeapps.list` for claimed schemes whose desktop entries are gone.
    static let desktopDefaults = Check("desktop-defaults", right: "defaults name existing entries") { facts in
        let defaults = facts.desktop.defaults.filter { facts.claimedSchemes.contains($0.scheme) }
        guard !defaults.isEmpty else { return nil }
        return defaults.compactMap { line in
            let (path, entry) = (line.path, line.entry)
            guard let gone = entry.list.first(where: { !facts.desktop.ids.contains($0) }) else { return nil }
            let rest = entry.list.filter(facts.desktop.ids.contains).map { $0 + ";" }.joined()
            let edit =
                rest.isEmpty
                ? ShellLine.remove(entry.text, of: path)
                : ShellLine.replace(entry.text, of: path, with: "\(entry.key)=\(rest)")
            return Finding(
                .defaultWithoutEntry,
                "\(path):\(entry.line) names \(gone) for \(line.scheme), but there is no such desktop entry",
                fix: facts.sudo(path) + edit)
        }
    }
}
