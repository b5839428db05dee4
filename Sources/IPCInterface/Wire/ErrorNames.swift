package import IPCDBus
package import IPCModel

extension IPCError.Code {
    package static let prefix = "org.swiftipc.Error."

    package var errorName: ErrorName {
        guard let name = try? ErrorName(Self.prefix + rawValue) else {
            preconditionFailure("“\(rawValue)” is not a valid element of an error name")
        }
        return name
    }

    /// - Returns: `nil` if the name is not an error name of this D-Bus API.
    package init?(errorName name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(name.dropFirst(Self.prefix.count)))
    }
}

extension Condition {
    package var errorReply: ErrorReply { ErrorReply(ipcError.code.errorName, ipcError.message) }
}

extension IPCError {
    /// Creates an error from the failure of a call to the broker.
    package init(_ error: CallError) {
        switch error {
        case .remote(let name, let message):
            if let code = Code(errorName: name) {
                self.init(code, message.replacingAdvice(\.rawValue, \.ofLibrary))
            } else if Self.absent.contains(name) {
                self.init(
                    .storeUnavailable,
                    "there is no broker: \(message); install swift-ipc, or run 'ipc-client setup' in the folder of its "
                        + "programs; if you have done so, 'ipc-client doctor' shows why the bus does not find them")
            } else if name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") {
                self.init(
                    .storeUnavailable,
                    "the broker could not be started: \(message); 'ipc-client doctor' shows the reason")
            } else {
                self.init(.storeUnavailable, "the broker answered \(name): \(message)")
            }
        case .timedOut: self.init(.timedOut, "the broker did not answer in time")
        case .disconnected: self.init(.noBus, "the connection to the message bus was lost")
        case .cancelled: self.init(.storeUnavailable, "the call was cancelled")
        case .unsendable(let error):
            let code: Code =
                switch error {
                case .arrayTooLong, .messageTooLong, .tooManyDescriptors, .descriptorUnavailable: .limitExceeded
                default: .invalidArguments
                }
            self.init(code, error.description)
        case .badReply(let error): self.init(.storeUnavailable, "the broker's answer is malformed: \(error)")
        }
    }

    /// The names of the errors that the bus reports if no broker is running and none can be started.
    private static let absent: Set<String> = [
        ErrorName.serviceUnknown.text, ErrorName.nameHasNoOwner.text,
        "org.freedesktop.DBus.Error.Spawn.ServiceNotFound",
    ]
}
