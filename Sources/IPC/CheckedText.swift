/// A text that the library checks before it sends it: the errors are the broker's, and every text can travel on the wire.
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

/// Makes a value, and throws the reason of a failure as the broker would.
func checked<Value, Reason: Condition>(_ make: () throws(Reason) -> Value) throws(IPCError) -> Value {
    do throws(Reason) { return try make() } catch { throw error.ipcError }
}
