private import IPCModel

extension Advice {
    /// The advice with the commands and options of `ipc-client`.
    fileprivate var ofTools: String {
        switch self {
        case .makePasteboard: "'ipc-client set BOARD' makes it, and 'ipc-client boards' lists what there is"
        case .keepMoreVersions: "'ipc-client history BOARD --keep N' keeps more earlier versions"
        case .keepFewerVersions:
            "clear or remove pasteboards, or keep fewer earlier versions by 'ipc-client history BOARD --keep N'"
        case .allowReserved: "--allow-reserved claims it nevertheless, if you want this"
        case .nameReceiver:
            "start a receiver that registers it ('ipc-client handlers' lists all), make one known by 'ipc-client register "
                + "SCHEME --application ID --persistent', or name one with --to ID"
        case .leaveOutQueue: "leave out --queue"
        case .ownName: "register with --persistent or --transient"
        case .takeDescriptors:
            "if it does, say so by 'ipc-client register SCHEME --application ID --fd' beside what it has"
        }
    }
}

extension String {
    /// The sentence of a refusal, with its advice in the words of the tools.
    var withToolAdvice: String { replacingAdvice(\.ofLibrary, \.ofTools) }
}
