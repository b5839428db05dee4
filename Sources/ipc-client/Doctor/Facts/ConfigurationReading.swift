import Glibc
import IPCDesktop

extension Facts {
    /// Reads `ipc-broker.conf` in its usual place.
    mutating func readConfiguration() {
        guard let path = ConfigurationFile.usualPath(variables) else { return }
        configuration.path = path
        let file = FileFacts.read(path)
        guard file.isThere else { return }
        configuration.isWritable = file.isWritable
        guard let bytes = FilePlace.bytes(of: path), let text = String(validating: bytes, as: UTF8.self) else {
            // What it says of itself is what the broker would say.
            do throws(ConfigurationFile.Invalid) { _ = try ConfigurationFile(path: path) } catch {
                configuration.unreadable = error.reason
            }
            return
        }
        configuration.take(text)
    }
}

extension ConfigurationFacts {
    /// Takes the text of the file, with all mistakes in it.
    mutating func take(_ text: String) {
        var rest = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines = rest
        // Each mistake is made a comment, and the rest is read again: the broker tells one at a time.
        while true {
            do throws(ConfigurationFile.Invalid) {
                store = try ConfigurationFile(rest.joined(separator: "\n"), path: path).store
                return
            } catch {
                guard let first = error.line, first <= rest.count else {
                    unreadable = error.reason
                    return
                }
                let last = rest[first - 1].trimmed.hasPrefix("[") ? Self.end(ofGroupIn: first, rest) : first
                mistakes.append(Mistake(lines: first...last, reason: error.reason))
                for line in first...last { rest[line - 1] = "#" + rest[line - 1] }
            }
        }
    }

    /// The last line of a group, from 1.
    private static func end(ofGroupIn header: Int, _ lines: [String]) -> Int {
        lines[header...].firstIndex { $0.trimmed.hasPrefix("[") } ?? lines.count
    }
}

extension UserFacts {
    /// The corresponding C function is `geteuid`.
    static var effective: UInt32 { geteuid() }

    /// Its line in `/etc/passwd` (passwd(5)). getpwuid(3) asks other sources too, by modules that a static program cannot load.
    static func home(of user: UInt32) -> String? {
        let lines = FilePlace.text(of: "/etc/passwd")?.split(separator: "\n") ?? []
        let fields = lines.lazy.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
        return fields.first { $0.count == 7 && UInt32($0[2]) == user }.map { String($0[5]) }
    }
}
