package import IPCModel

/// A file with an application's installed claim to URL schemes, such as `dbus/demo.IPCServer.handler`. The broker only
/// reads such files; `TransientRegistration` writes them.
package struct ClaimFile: Sendable, Hashable {
    package let application: ApplicationID
    package let schemes: [URLScheme]
    /// Whether the application accepts large payloads as descriptors.
    package let takesDescriptors: Bool

    /// The folder of claims, relative to a data folder or to the runtime directory.
    package static let folder = "swift-ipc/handlers"

    static func fileName(of application: ApplicationID) -> String { "\(application).handler" }

    var text: String {
        "[Handler]\nSchemes=\(KeyFileText.list(schemes.map(\.spelling)))\nDescriptors=\(takesDescriptors)\n"
    }
}

extension ClaimFile {
    /// - Throws: ``KeyFile/Unreadable``, ``KeyFile/Malformed``, `IPCError`.
    package init(contentsOf path: String, application: ApplicationID) throws {
        let group = try KeyFile(contentsOf: path)["Handler"]
        guard let schemes = group?["Schemes"] else {
            throw IPCError(.invalidArguments, "it has no key “Schemes” in a group [Handler]")
        }
        let descriptors = group?["Descriptors"] ?? "false"
        guard let takesDescriptors = Bool(descriptors) else {
            throw IPCError(.invalidArguments, "its key “Descriptors” must be true or false, not \(descriptors.quoted)")
        }
        self.init(
            application: application, schemes: try schemes.split(separator: ";").map { try URLScheme(String($0)) },
            takesDescriptors: takesDescriptors)
    }
}
