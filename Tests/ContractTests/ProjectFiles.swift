import IPCTesting

/// The project files that the tests read: sources and the contract's documents.
enum ProjectFiles {
    /// The directory of the package.
    static let root: String = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/")

    /// The interfaces of the contract, each with its document below `dbus/`.
    static let interfaceNames = [
        "org.freedesktop.Application", "org.swiftipc.Broker1", "org.swiftipc.Pasteboard1",
        "org.swiftipc.PasteboardWriter1",
        "org.swiftipc.Pasteboards1", "org.swiftipc.Schemes1", "org.swiftipc.Simple1", "org.swiftipc.URLHandler1",
        "org.swiftipc.URLs1",
    ]

    /// The text of an interface's document.
    static func document(of interface: String) throws -> String {
        try FileContents.text("\(root)/dbus/\(interface).xml")
    }

    /// The Swift files below a directory of the package, as paths relative to that directory.
    static func swiftFiles(below directory: String) -> [String] {
        let path = "\(root)/\(directory)"
        return (FileContents.names(in: path) ?? []).sorted().flatMap { name -> [String] in
            if name.hasSuffix(".swift") { return [name] }
            return swiftFiles(below: "\(directory)/\(name)").map { "\(name)/\($0)" }
        }
    }
}
