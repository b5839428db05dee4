internal import IPCModel

/// The account on which the record of a request is kept: the application that the bus or a sandbox attests, else the
/// process of the caller, else its connection. A name that is only stated would let any program have the records of
/// another one forgotten.
package struct RequestPayer: Sendable, Hashable {
    /// No application, process or connection has the text of another one.
    package let text: String
    package let isAttested: Bool

    init(_ strength: SourceStrength, application: String, caller: String) {
        isAttested = strength == .owned || strength == .sandboxed
        guard !isAttested else {
            text = application
            return
        }
        // The connection, or the connection and the process.
        let space = caller.utf8.firstIndex(of: UInt8(ascii: " "))
        let payer = space.map { caller[caller.utf8.index(after: $0)...] } ?? caller[...]
        text = payer.isEmpty ? application : String(payer)
    }

    /// Of a record that tells nothing.
    static let nobody = RequestPayer(.unknown, application: "", caller: "")
}

extension RequestRecord {
    package var payer: RequestPayer {
        RequestPayer(source.strength, application: source.application, caller: caller)
    }

    /// The connection that sent it, with the id of its bus.
    package var connection: String { String(caller.prefix { $0 != " " }) }
}
