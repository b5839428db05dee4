internal import Glibc
internal import IPCDBus
internal import IPCInterface

extension IPCError {
    init(_ error: ConnectionError, bus: BusAddress) {
        let name =
            switch bus {
            case .session: "session bus"
            case .system: "system bus"
            case .address(let address): "message bus at “\(address)”"
            }
        let reason: String
        switch error {
        case .timedOut:
            self.init(.timedOut, "the \(name) did not answer in time; try again")
            return
        case .noBus(let why), .refused(let why): reason = why
        case .cannotConnect(let address, let why), .cannotListen(let address, let why):
            reason = "\(ConnectionError.shown(address)) cannot be reached: \(why)"
        }
        self.init(
            .noBus,
            "there is no \(name): \(reason); log in to a session that has one, or start one with "
                + "“dbus-run-session -- COMMAND”")
    }

    init(memoryFile error: SystemError, byteCount: Int) {
        let code: Code =
            switch error.code {
            case EMFILE, ENFILE: .limitExceeded
            case ENOSPC, ENOMEM: .noSpace
            default: .inputOutput
            }
        self.init(code, "cannot create a memory file for a value of \(byteCount) bytes: \(error)")
    }

    /// The connection was lost during a call that must not be sent twice.
    static let cutOff = IPCError(
        .storeUnavailable,
        "the connection to the broker was lost before it answered; it is unknown whether the broker carried out the call"
    )
}

extension CallError {
    /// Whether the answer was lost, so that the broker may have carried out the call.
    var meansCutOff: Bool { self == .disconnected || isRemote(.noReply) }

    /// Whether the bus could not deliver the call, so that nothing has happened.
    var meansNoBroker: Bool { isRemote(.serviceUnknown) || isRemote(.nameHasNoOwner) }
}

/// Calls a closure that may throw, and converts its error to the one that the broker would report.
func checked<Value, Reason: Condition>(_ make: () throws(Reason) -> Value) throws(IPCError) -> Value {
    do throws(Reason) { return try make() } catch { throw error.ipcError }
}
