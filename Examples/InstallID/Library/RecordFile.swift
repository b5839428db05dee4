import Foundation
import Glibc

/// The file with the record of one application: mode 0600, in the folder `install-id` in `XDG_STATE_HOME`.
package struct RecordFile: Sendable {
    package let path: String

    /// - Parameters:
    ///   - application: the application id.
    ///   - environment: the environment variables; `XDG_STATE_HOME` and `HOME` are used.
    /// - Throws: ``InstallationFailure/noHome`` if neither of them names a folder to write to.
    package init(
        of application: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(InstallationFailure) {
        // XDG Base Directory Specification: a path that is not absolute is invalid, and must be ignored.
        let stated = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.local/state" : nil }
        guard let state = stated ?? home else { throw .noHome }
        path = "\(state)/install-id/\(application)"
    }

    /// Returns the record; `nil` if there is none yet.
    package func read() throws(InstallationFailure) -> Record? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 && errno == ENOENT { return nil }
        try check("open", Int(descriptor))
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        try check("read", count)
        guard let record = Record(String(decoding: bytes.prefix(count), as: UTF8.self)) else {
            throw .damaged(path: path)
        }
        return record
    }

    /// Creates the file unless it already exists, and returns the record in it: this one, or that of a process that was
    /// faster.
    ///
    /// No reader ever sees an incomplete file. The record is first written to a temporary file, to which link(2) then
    /// gives the final name, but only if no file has that name.
    package func publish(_ record: Record) throws(InstallationFailure) -> Record {
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .system(call: "mkdir", path: folder, reason: error.localizedDescription)
        }
        var draft = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&draft)  // mode 0600
        try check("mkstemp", Int(descriptor))
        defer {
            close(descriptor)
            unlink(draft)
        }
        let bytes = Array(record.text.utf8)
        try check("write", write(descriptor, bytes, bytes.count))
        try check("fsync", Int(fsync(descriptor)))
        guard link(draft, path) == 0 || errno == EEXIST else { throw failure(of: "link") }
        try flush(folder)
        guard let standing = try read() else { return try publish(record) }  // it was removed in between
        return standing
    }

    /// Removes the file; returns `false` if there was none.
    package func remove() throws(InstallationFailure) -> Bool {
        if unlink(path) == 0 { return true }
        guard errno == ENOENT else { throw failure(of: "unlink") }
        return false
    }

    /// Flushes the folder's entries to disk.
    private func flush(_ folder: String) throws(InstallationFailure) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try check("open", Int(descriptor))
        defer { close(descriptor) }
        try check("fsync", Int(fsync(descriptor)))
    }

    private func check(_ call: String, _ result: Int) throws(InstallationFailure) {
        if result < 0 { throw failure(of: call) }
    }

    private func failure(of call: String) -> InstallationFailure {
        .system(call: call, path: path, reason: String(cString: strerror(errno)))
    }
}
