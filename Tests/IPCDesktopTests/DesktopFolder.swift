import IPCDesktop
import IPCModel
import IPCTesting

/// A home directory for one test, whose files are written and read by their relative paths.
struct DesktopFolder {
    let directory: TemporaryDirectory
    let directories: BaseDirectories

    init(desktop: String = "") throws {
        let directory = try TemporaryDirectory("desktop")
        self.directory = directory
        directories = BaseDirectories { name in
            switch name {
            case "HOME": directory.path
            case "XDG_DATA_DIRS": directory.appending("usr")
            case "XDG_CONFIG_DIRS": directory.appending("etc")
            case "XDG_RUNTIME_DIR": directory.appending("run")
            case "XDG_CURRENT_DESKTOP": desktop
            default: nil
            }
        }
    }

    /// Writes a file, and creates its parent folders.
    func put(_ text: String, at path: String) throws {
        if let slash = path.lastIndex(of: "/") { try directory.makeDirectory(String(path[..<slash])) }
        try FileContents.write(text, to: directory.appending(path))
    }

    func text(_ path: String) throws -> String { try FileContents.text(directory.appending(path)) }

    /// All folders (with a trailing slash) and all files below a path, with the files' bytes.
    func contents(below path: String = "") -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in FileContents.names(in: directory.appending(path)) ?? [] {
            let inner = path.isEmpty ? name : "\(path)/\(name)"
            if FileContents.names(in: directory.appending(inner)) != nil {
                found[inner + "/"] = []
                found.merge(contents(below: inner)) { $1 }
            } else {
                found[inner] = (try? FileContents.read(directory.appending(inner))) ?? []
            }
        }
        return found
    }

    func registration(_ application: String) throws -> DesktopRegistration {
        try DesktopRegistration(try ApplicationID(application), in: directories)
    }

    static let opener = "/opt/tools/ipc-client"

    @discardableResult
    func register(
        _ application: String, _ schemes: [String], command: String? = nil, makesDefault: Bool = false
    ) throws -> DesktopRegistration.Result {
        try registration(application).register(
            try schemes.map { try URLScheme($0) }, opener: Self.opener,
            command: try command.map { try CommandWords($0) },
            makesDefault: makesDefault)
    }

    @discardableResult
    func unregister(_ application: String, _ schemes: [String]? = nil) throws -> DesktopRegistration.Result {
        try registration(application).unregister(try schemes?.map { try URLScheme($0) })
    }
}
