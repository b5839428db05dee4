private import IPCModel

extension Advice {
    /// What the user can do about an error, in terms of the commands and options of `ipc-client`.
    fileprivate var ofTools: String {
        switch self {
        case .makePasteboard: "'ipc-client set BOARD' creates it, and 'ipc-client board list' lists all pasteboards"
        case .keepMoreVersions: "'ipc-client board history BOARD --keep N' keeps more earlier versions"
        case .keepFewerVersions:
            "clear or remove pasteboards, or keep fewer earlier versions with 'ipc-client board history BOARD --keep N'"
        case .allowReserved: "add --allow-reserved if you want to claim it anyway"
        case .nameHandler:
            "start a handler that registers it ('ipc-client scheme list' lists all), run a command for it with "
                + "'ipc-client handle SCHEME --exec CMD', register an application with 'ipc-client scheme register SCHEME "
                + "--application ID --persistent', or name one with --to ID"
        case .leaveOutQueue: "leave out --queue"
        case .ownName: "register with --persistent or --transient"
        case .takeDescriptors:
            "if it does, repeat 'ipc-client scheme register SCHEME --application ID' with its other options and --fd"
        }
    }
}

extension String {
    /// The error message, in which the advice names commands and options of the tools instead of library calls.
    var withToolAdvice: String { replacingAdvice(\.ofLibrary, \.ofTools) }
}
