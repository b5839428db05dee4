/// Names and URLs are checked here before they are sent: the errors are the broker's, and no text reaches the wire that
/// it cannot carry.
func checked<Value, Reason: Condition>(_ make: () throws(Reason) -> Value) throws(IPCError) -> Value {
    do throws(Reason) { return try make() } catch { throw error.ipcError }
}

func check(url: String) throws(IPCError) {
    _ = try checked { () throws(URLText.Invalid) in try URLText(url) }
}

func check(schemes: [String]) throws(IPCError) {
    for scheme in schemes { _ = try checked { () throws(URLScheme.Invalid) in try URLScheme(scheme) } }
}

func check(application: String) throws(IPCError) {
    _ = try checked { () throws(ApplicationID.Invalid) in try ApplicationID(application) }
}

func check(pasteboards names: [String]) throws(IPCError) {
    for name in names { _ = try checked { () throws(PasteboardName.Invalid) in try PasteboardName(name) } }
}

func check(request id: String) throws(IPCError) {
    _ = try checked { () throws(RequestID.Invalid) in try RequestID(id) }
}
