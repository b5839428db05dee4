internal import Glibc
internal import IPCModel

/// A key file: groups in brackets, `key=value` below them, `#` before comments (Desktop Entry Specification, "Basic
/// format of the file"). Configuration, installed claims and what Flatpak says of a sandbox are written in it.
package struct KeyFile: Sendable {
    package struct Entry: Sendable, Equatable {
        package let key: String
        /// The value without blanks around it; escapes are left as they are.
        package let value: String
        /// The number of its line, from 1.
        package let line: Int
    }

    package struct Group: Sendable, Equatable {
        package let name: String
        package let line: Int
        package var entries: [Entry] = []

        /// The value of a key.
        package subscript(key: String) -> String? { entries.first { $0.key == key }?.value }
    }

    /// A line that breaks the format.
    package struct Malformed: Error, Equatable, CustomStringConvertible {
        package let line: Int
        package let reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    package let groups: [Group]

    /// The most bytes of a file.
    package static let mostBytes = 65_536

    /// The group of a name.
    package subscript(group: String) -> Group? { groups.first { $0.name == group } }

    /// Reads a text. Groups and keys that stand there twice are errors, as the specification says.
    package init(_ text: String) throws(Malformed) {
        var groups: [Group] = []
        var number = 0
        // By bytes, because "\r\n" is one character and no line feed.
        for bytes in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let line = Substring(bytes).trimmed
            if line.isEmpty || line.first == "#" { continue }
            if line.first == "[" {
                let name = try Self.header(line, number)
                if let first = groups.first(where: { $0.name == name }) {
                    throw Malformed(
                        line: number, reason: "the group [\(name)] stands there twice, first in line \(first.line)")
                }
                groups.append(Group(name: name, line: number))
            } else {
                let entry = try Self.entry(line, number)
                guard let group = groups.indices.last else {
                    throw Malformed(
                        line: number, reason: "\(entry.key.quoted) stands before the first group, such as [Limits]")
                }
                if let first = groups[group].entries.first(where: { $0.key == entry.key }) {
                    throw Malformed(
                        line: number,
                        reason: "the key \(entry.key.quoted) stands there twice, first in line \(first.line)")
                }
                groups[group].entries.append(entry)
            }
        }
        self.groups = groups
    }

    private static func header(_ line: Substring, _ number: Int) throws(Malformed) -> String {
        let name = line.dropFirst().dropLast()
        guard line.last == "]", !name.isEmpty, !name.contains(where: { $0 == "[" || $0 == "]" }) else {
            throw Malformed(line: number, reason: "\(String(line).quoted) is no group; write [Name]")
        }
        return String(name)
    }

    private static func entry(_ line: Substring, _ number: Int) throws(Malformed) -> Entry {
        guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")), equals > line.startIndex else {
            throw Malformed(
                line: number, reason: "\(String(line).quoted) is no key and value; write key=value, or # before it")
        }
        let value = line[line.utf8.index(after: equals)...]
        return Entry(key: String(line[..<equals].trimmed), value: String(value.trimmed), line: number)
    }
}

extension KeyFile {
    /// Why a file cannot be read at all.
    package enum Unreadable: Error, Equatable, CustomStringConvertible {
        /// The system's error number.
        case system(CInt)
        case tooLong
        case notUTF8

        package var description: String {
            switch self {
            case .system(let number): String(cString: strerror(number))
            case .tooLong: "it has more than \(KeyFile.mostBytes) bytes"
            case .notUTF8: "it is not UTF-8"
            }
        }
    }

    /// Reads a file of at most ``mostBytes``.
    /// - Parameter directory: where a relative path starts.
    /// - Throws: ``Unreadable``, ``Malformed``.
    package init(contentsOf path: String, in directory: CInt = AT_FDCWD, flags: CInt = 0) throws {
        // Without waiting for a writer where it is a pipe, and without getting a terminal.
        let file = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags)
        guard file >= 0 else { throw Unreadable.system(errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress! + count, $0.count - count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Unreadable.system(errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= Self.mostBytes else { throw Unreadable.tooLong }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else { throw Unreadable.notUTF8 }
        try self.init(text)
    }
}

extension Substring {
    /// Without blanks, tabs and carriage returns at both ends.
    fileprivate var trimmed: Substring {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let start = utf8.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return Substring(start[...last])
    }
}
