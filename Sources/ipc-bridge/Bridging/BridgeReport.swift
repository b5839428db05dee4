import IPCModel
import IPCTools

/// What the bridge says on standard error: never a content.
struct BridgeReport: Sendable {
    let output: OutputOptions
    /// Whether each thing that is handed over is told.
    let isVerbose: Bool

    func tell(_ name: String, _ message: String) { try? output.tell(name, message, after: "ipc-bridge: ") }

    /// Tells what only some want to know.
    func trace(_ name: String, _ message: String) {
        if isVerbose { tell(name, message) }
    }

    func warn(_ error: IPCError) { try? output.warn(error.code.rawValue, error.message) }
}
