internal import Glibc
package import IPCModel

/// The broker's configuration, `ipc-broker.conf`: a key file that is taken as a whole or not at all, so that a slip of
/// the pen never leaves a limit as it was in silence.
///
///     [Limits]
///     watchers=20000
///     [Store]
///     directory=/srv/swift-ipc
///     [Log]
///     level=debug
///     [Desktop]
///     open=false
package struct ConfigurationFile: Sendable {
    /// What the group `[Limits]` sets, in its order.
    package private(set) var limits: [(name: String, value: UInt64)] = []
    /// The folder of the store, an absolute path.
    package private(set) var store: String?
    package private(set) var logLevel: LogLevel?
    /// Whether URLs that nobody claims go to the desktop's handlers.
    package private(set) var opensOnDesktop = true

    /// What is wrong with a file, with its place and what to do.
    package struct Invalid: Condition, Hashable {
        package let path: String
        /// From 1; `nil` where it is the file itself.
        package let line: Int?
        package let reason: String
        /// Whether there is no such file.
        package let isMissing: Bool

        init(_ path: String, line: Int? = nil, _ reason: String, isMissing: Bool = false) {
            (self.path, self.line, self.reason, self.isMissing) = (path, line, reason, isMissing)
        }

        package var ipcError: IPCError {
            IPCError(.invalidArguments, path + (line.map { ":\($0)" } ?? "") + ": " + reason)
        }
    }

    /// Nothing configured.
    package init() {}

    /// Reads the file that was asked for, or else the one in its usual place, which need not be there.
    /// - Parameters:
    ///   - asked: a path; `nil` for the usual place.
    ///   - environment: `XDG_CONFIG_HOME` and `HOME` are read (XDG Base Directory Specification).
    /// - Throws: ``Invalid``
    package static func load(_ asked: String?, environment: [String: String]) throws -> ConfigurationFile {
        if let asked { return try ConfigurationFile(path: asked) }
        guard let usual = usualPath(environment) else { return ConfigurationFile() }
        do { return try ConfigurationFile(path: usual) } catch {
            guard error.isMissing else { throw error }
            return ConfigurationFile()
        }
    }

    /// `swift-ipc/ipc-broker.conf` in the folder for configuration; `nil` where there is none.
    package static func usualPath(_ environment: [String: String]) -> String? {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        return folder.map { $0 + "/swift-ipc/ipc-broker.conf" }
    }

    /// - Throws: ``Invalid``
    package init(path: String) throws(Invalid) {
        let file: KeyFile
        do { file = try KeyFile(contentsOf: path) } catch let error as KeyFile.Malformed {
            throw Invalid(path, line: error.line, error.reason)
        } catch KeyFile.Unreadable.system(let number) {
            throw Invalid(
                path, "it cannot be read: \(String(cString: strerror(number)))",
                isMissing: number == ENOENT || number == ENOTDIR)
        } catch { throw Invalid(path, "\(error)") }
        try self.init(file, path: path)
    }

    /// Reads a text that stands in a file of that path, or is to stand there.
    /// - Throws: ``Invalid``
    package init(_ text: String, path: String) throws(Invalid) {
        let file: KeyFile
        do throws(KeyFile.Malformed) { file = try KeyFile(text) } catch {
            throw Invalid(path, line: error.line, error.reason)
        }
        try self.init(file, path: path)
    }

    private init(_ file: KeyFile, path: String) throws(Invalid) {
        for group in file.groups {
            guard Self.keys.contains(where: { $0.key == group.name }) else {
                throw Invalid(path, line: group.line, Self.unknown(group: group.name))
            }
            for entry in group.entries {
                do throws(Reason) { try take(entry) } catch {
                    throw Invalid(path, line: entry.line, error.text)
                }
            }
        }
    }

    /// The groups with their keys.
    private static let keys: KeyValuePairs = ["Limits": "", "Store": "directory", "Log": "level", "Desktop": "open"]

    private struct Reason: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private mutating func take(_ entry: KeyFile.Entry) throws(Reason) {
        switch (entry.group, entry.key) {
        case ("Limits", _): try setLimit(entry)
        case ("Store", "directory"):
            guard entry.value.hasPrefix("/") else {
                throw Reason("the store's directory is an absolute path, not \(entry.value.quoted)")
            }
            store = entry.value
        case ("Log", "level"):
            guard let level = LogLevel(rawValue: entry.value) else {
                let levels = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
                throw Reason("there is no level \(entry.value.quoted); write one of \(levels)")
            }
            logLevel = level
        case ("Desktop", "open"):
            guard let opens = Bool(entry.value) else {
                throw Reason("“open” is true or false, not \(entry.value.quoted)")
            }
            opensOnDesktop = opens
        case (let group, let key):
            let known = Self.keys.first { $0.key == group }?.value ?? ""
            throw Reason("[\(group)] has no key \(key.quoted); it has “\(known)”")
        }
    }

    private mutating func setLimit(_ entry: KeyFile.Entry) throws(Reason) {
        guard let value = UInt64(entry.value), entry.value.utf8.first != UInt8(ascii: "+") else {
            throw Reason("\(entry.key) is a whole number without a unit, not \(entry.value.quoted)")
        }
        var trial = Limits()
        do throws(Limits.Invalid) { try trial.set(entry.key, value) } catch { throw Reason(error.ipcError.message) }
        limits.append((entry.key, value))
    }

    private static func unknown(group: String) -> String {
        "there is no group [\(group)]; the groups are \(keys.map { "[\($0.key)]" }.joined(separator: ", "))"
    }
}

/// What the broker logs: this and all that is worse.
package enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error
}
