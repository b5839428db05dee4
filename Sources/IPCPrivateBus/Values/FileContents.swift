internal import Glibc
internal import SystemPackage

/// Whole files, read and written at once.
package enum FileContents {
    /// The bytes of a file; works on `/proc`, where files do not report their size.
    package static func read(_ path: String) throws -> [UInt8] {
        let descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        return try descriptor.closeAfter {
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = try chunk.withUnsafeMutableBytes { try descriptor.read(into: $0) }
                if count == 0 { return bytes }
                bytes += chunk[..<count]
            }
        }
    }

    /// The text of a file; bytes that are not UTF-8 become U+FFFD.
    package static func text(_ path: String) throws -> String {
        String(decoding: try read(path), as: UTF8.self)
    }

    /// Writes a file with mode 0600, or 0700 if it is a program, replacing any existing file.
    package static func write(_ bytes: some Sequence<UInt8>, to path: String, isProgram: Bool = false) throws {
        let descriptor = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: isProgram ? [.ownerReadWriteExecute] : [.ownerReadWrite])
        _ = try descriptor.closeAfter { try descriptor.writeAll(bytes) }
    }

    /// Writes a text file with mode 0600, or 0700 if it is a program, replacing any existing file.
    package static func write(_ text: String, to path: String, isProgram: Bool = false) throws {
        try write(text.utf8, to: path, isProgram: isProgram)
    }

    /// The names in a directory, without `.` and `..`; `nil` if it cannot be read.
    package static func names(in directory: String) -> [String]? {
        guard let stream = opendir(directory) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Whether something exists at the path.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
