internal import IPCDBus

/// A text that the library checks before it is sent, with the broker's errors.
protocol CheckedText {
    associatedtype Invalid: Condition
    init(_ text: String) throws(Invalid)
}

extension URLText: CheckedText {}
extension URLScheme: CheckedText {}
extension ApplicationID: CheckedText {}
extension PasteboardName: CheckedText {}
extension RequestID: CheckedText {}
extension ContentType: CheckedText {}

extension CheckedText {
    init(checking text: String) throws(IPCError) { self = try checked { () throws(Invalid) in try Self(text) } }
}

extension Array where Element: CheckedText {
    init(checking texts: [String]) throws(IPCError) {
        self = try texts.map { (text) throws(IPCError) in try Element(checking: text) }
    }
}

/// Makes a value, and throws a failure as the error that the broker would report.
func checked<Value, Reason: Condition>(_ make: () throws(Reason) -> Value) throws(IPCError) -> Value {
    do throws(Reason) { return try make() } catch { throw error.ipcError }
}

/// Runs work that may block, such as that with files, off the thread of the caller.
func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () throws(IPCError) -> Value
) async throws(IPCError) -> Value {
    try await Background.run { Result { () throws(IPCError) in try work() } }.get()
}
