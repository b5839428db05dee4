import Glibc
import IPCTesting

/// Everything in the folders of a user: names, modes and contents.
struct HomeSnapshot: Equatable, CustomStringConvertible {
    struct Element: Equatable {
        let mode: UInt32
        /// `nil` for a folder.
        let bytes: [UInt8]?
    }

    private(set) var elements: [String: Element] = [:]

    /// - Parameter isLeftOut: whether to leave out a path, given relative to the bus's directory, because it belongs to
    ///   another program.
    init(_ bus: PrivateBus, but isLeftOut: (String) -> Bool = { _ in false }) {
        for folder in ["home", "config", "data", "run"] { add(folder, below: bus.directory.path, isLeftOut) }
    }

    private mutating func add(_ path: String, below root: String, _ isLeftOut: (String) -> Bool) {
        var status = stat()
        // dbus-broker starts programs as systemd units, and systemd keeps its own state there.
        guard !isLeftOut(path), path != "run/systemd", lstat("\(root)/\(path)", &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            elements[path] = Element(mode: status.st_mode, bytes: nil)
            for name in FileContents.names(in: "\(root)/\(path)") ?? [] {
                add("\(path)/\(name)", below: root, isLeftOut)
            }
        case S_IFREG:
            elements[path] = Element(mode: status.st_mode, bytes: try? FileContents.read("\(root)/\(path)"))
        default: break
        }
    }

    var description: String {
        elements.sorted { $0.key < $1.key }.map { path, element in
            "\(String(element.mode, radix: 8)) \(path) \(element.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "/")"
        }.joined(separator: "\n")
    }
}

/// Files of other programs, as found in a home directory.
enum FurnishedHome {
    static func furnish(_ bus: PrivateBus) throws {
        let directory = bus.directory
        try directory.makeDirectory("data/applications/kde")
        try FileContents.write(
            "# by hand\n[Added Associations]\nx-scheme-handler/other=theirs.desktop;\n\n[Default Applications]\n"
                + "text/html = theirs.desktop ; other.desktop\nx-scheme-handler/theirs=theirs.desktop",
            to: directory.appending("config/mimeapps.list"))
        chmod(directory.appending("config/mimeapps.list"), 0o640)
        let entry = "[Desktop Entry]\nType=Application\nName=Theirs\nExec=true %u\nMimeType=x-scheme-handler/theirs;\n"
        try FileContents.write(entry, to: directory.appending("data/applications/theirs.desktop"))
        try FileContents.write(entry, to: directory.appending("data/applications/kde/other.desktop"))
        try FileContents.write(
            "[MIME Cache]\nx-scheme-handler/theirs=theirs.desktop;\nout/of-date=gone.desktop;\n",
            to: directory.appending("data/applications/mimeinfo.cache"))
        try FileContents.write(
            "[D-BUS Service]\nName=org.example.Theirs\nExec=/bin/true\n",
            to: "\(bus.serviceDirectory)/org.example.Theirs.service")
    }
}
