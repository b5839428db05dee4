internal import Glibc
package import IPCModel

/// The broker's configuration, `ipc-broker.conf`: a key file that is read either completely or not at all, so a typing
/// error never silently leaves a limit unchanged.
package struct ConfigurationFile: Sendable {
    /// The limits in `[Limits]`, in file order, such as `watchers=20000`.
    package private(set) var limits: [(name: String, value: UInt64)] = []
    /// The `directory` key in `[Store]`, an absolute path; `nil` if it is not set.
    package private(set) var store: String?
    /// The `level` key in `[Log]`; `nil` if it is not set.
    package private(set) var logLevel: LogLevel?
    /// The `open` key in `[Desktop]`: whether the desktop's own handlers open URLs that no application claims.
    package private(set) var opensOnDesktop = true

    /// The `idle-timeout-milliseconds` key in `[Service]`: how long no program must have used the broker before it exits; 0
    /// if it stays.
    package private(set) var idleTimeoutMilliseconds: UInt64 = 0

    /// An error in a file, with advice.
    package struct Invalid: Condition, Hashable {
        package let path: String
        /// The line, counted from 1; `nil` if the error concerns the file as a whole.
        package var line: Int?
        package let reason: String
        package var isMissing = false

        package var ipcError: IPCError {
            IPCError(.invalidArguments, path + (line.map { ":\($0)" } ?? "") + ": " + reason)
        }
    }

    /// Creates the configuration that applies without a file.
    package init() {}

    /// Reads the file `asked`. If that is `nil`, reads the file in the usual place, which need not exist.
    /// - Parameter environment: `XDG_CONFIG_HOME` and `HOME` are used (XDG Base Directory Specification).
    /// - Throws: ``Invalid``
    package static func load(_ asked: String?, environment: [String: String]) throws -> ConfigurationFile {
        guard let path = asked ?? usualPath(environment) else { return ConfigurationFile() }
        do { return try ConfigurationFile(path: path) } catch {
            guard error.isMissing, asked == nil else { throw error }
            return ConfigurationFile()
        }
    }

    /// `swift-ipc/ipc-broker.conf` in the configuration folder; `nil` if there is no such folder.
    package static func usualPath(_ environment: [String: String]) -> String? {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        return folder.map { $0 + "/swift-ipc/ipc-broker.conf" }
    }

    package init(path: String) throws(Invalid) { try self.init(path) { try KeyFile(contentsOf: path) } }

    /// Reads the text of a configuration file, whose path is needed only for errors.
    package init(_ text: String, path: String) throws(Invalid) { try self.init(path) { try KeyFile(text) } }

    private init(_ path: String, _ read: () throws -> KeyFile) throws(Invalid) {
        let file: KeyFile
        do { file = try read() } catch let error as KeyFile.Malformed {
            throw Invalid(path: path, line: error.line, reason: error.reason)
        } catch KeyFile.Unreadable.system(let number) {
            throw Invalid(
                path: path, reason: "it cannot be read: \(String(cString: strerror(number)))",
                isMissing: number == ENOENT || number == ENOTDIR)
        } catch { throw Invalid(path: path, reason: "\(error)") }
        for group in file.groups {
            guard Self.keys.contains(where: { $0.key == group.name }) else {
                let names = Self.keys.map { "[\($0.key)]" }.joined(separator: ", ")
                throw Invalid(
                    path: path, line: group.line, reason: "there is no group [\(group.name)]; the groups are \(names)")
            }
            for entry in group.entries {
                if let reason = take(entry) { throw Invalid(path: path, line: entry.line, reason: reason) }
            }
        }
    }

    /// The groups, each with its only key, except `[Limits]`, whose keys are the names of limits.
    private static let keys: KeyValuePairs = [
        "Limits": "", "Store": "directory", "Log": "level", "Desktop": "open", "Service": "idle-timeout-milliseconds",
    ]
    /// 30 days.
    private static let longestIdleTimeout: UInt64 = 2_592_000_000

    /// - Returns: an error message if the entry is invalid; otherwise `nil`.
    private mutating func take(_ entry: KeyFile.Entry) -> String? {
        switch (entry.group, entry.key) {
        case ("Limits", _): return setLimit(entry)
        case ("Store", "directory"):
            guard entry.value.hasPrefix("/") else {
                return "the store's directory must be an absolute path, not \(entry.value.quoted)"
            }
            store = entry.value
        case ("Log", "level"):
            guard let level = LogLevel(rawValue: entry.value) else {
                let levels = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
                return "there is no level \(entry.value.quoted); write one of \(levels)"
            }
            logLevel = level
        case ("Desktop", "open"):
            guard let opens = Bool(entry.value) else {
                return "“open” must be true or false, not \(entry.value.quoted)"
            }
            opensOnDesktop = opens
        case ("Service", "idle-timeout-milliseconds"):
            guard let time = Self.number(entry), time <= Self.longestIdleTimeout else {
                return "\(entry.key) must be from 0 to \(Self.longestIdleTimeout), not \(entry.value.quoted)"
            }
            idleTimeoutMilliseconds = time
        case (let group, let key):
            let known = Self.keys.first { $0.key == group }?.value ?? ""
            return "[\(group)] has no key \(key.quoted); its key is “\(known)”"
        }
        return nil
    }

    /// The value as a whole number without a sign.
    private static func number(_ entry: KeyFile.Entry) -> UInt64? {
        entry.value.utf8.first == UInt8(ascii: "+") ? nil : UInt64(entry.value)
    }

    private mutating func setLimit(_ entry: KeyFile.Entry) -> String? {
        guard let value = Self.number(entry) else {
            return "\(entry.key) must be a whole number without a unit, not \(entry.value.quoted)"
        }
        var trial = Limits()
        do throws(IPCError) { try trial.set(entry.key, value) } catch { return error.ipcError.message }
        limits.append((entry.key, value))
        return nil
    }
}

/// The lowest severity of the messages that the broker logs.
package enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error
}
