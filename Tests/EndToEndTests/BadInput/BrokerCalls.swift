/// The broker's D-Bus methods, as calls that may be invalid.
extension WireCall {
    static func openURL(_ url: String, _ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        WireCall("URLs1", "OpenURL", [.s(url), .options(options)])
    }

    static func getRequest(_ id: String) -> WireCall { WireCall("URLs1", "GetRequest", [.s(id), .none]) }

    static func waitRequest(_ id: String, milliseconds: UInt32 = 25_000) -> WireCall {
        WireCall("URLs1", "WaitRequest", [.s(id), .options(["timeout": .u(milliseconds)])])
    }

    static func cancelRequest(_ id: String) -> WireCall { WireCall("URLs1", "CancelRequest", [.s(id), .none]) }

    static func retryRequest(_ id: String, _ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        WireCall("URLs1", "RetryRequest", [.s(id), .options(options)])
    }

    static func dropRequest(_ id: String) -> WireCall { WireCall("URLs1", "DropRequest", [.s(id), .none]) }

    static func listRequests(_ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        WireCall("URLs1", "ListRequests", [.options(options)])
    }

    static func traceRequest(_ id: String) -> WireCall { WireCall("URLs1", "TraceRequest", [.s(id), .none]) }

    static func getPolicy(_ application: String) -> WireCall {
        WireCall("Schemes1", "GetPolicy", [.s(application), .none])
    }

    static func setPolicy(_ application: String, _ policy: KeyValuePairs<String, WireValue>) -> WireCall {
        WireCall("Schemes1", "SetPolicy", [.s(application), .options(policy), .none])
    }

    static func canOpenURL(_ url: String, _ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        WireCall("Schemes1", "CanOpenURL", [.s(url), .options(options)])
    }

    static func resolveURL(_ url: String) -> WireCall { WireCall("Schemes1", "ResolveURL", [.s(url), .none]) }

    static func register(
        _ application: String, _ schemes: [String], _ options: KeyValuePairs<String, WireValue> = [:]
    ) -> WireCall {
        WireCall("Schemes1", "Register", [.s(application), .strings(schemes), .options(options)])
    }

    static func unregister(_ application: String, _ schemes: [String]) -> WireCall {
        WireCall("Schemes1", "Unregister", [.s(application), .strings(schemes), .none])
    }

    static func listHandlers(_ scheme: String, _ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        WireCall("Schemes1", "ListHandlers", [.s(scheme), .options(options)])
    }

    static func listDefaults(_ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        WireCall("Schemes1", "ListDefaults", [.options(options)])
    }

    static func listPolicies(_ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        WireCall("Schemes1", "ListPolicies", [.options(options)])
    }

    static func setDefault(_ scheme: String, _ application: String) -> WireCall {
        WireCall("Schemes1", "SetDefault", [.s(scheme), .s(application), .none])
    }

    static func getPasteboard(_ name: String, create: Bool = true) -> WireCall {
        WireCall("Pasteboards1", "GetPasteboard", [.s(name), .options(["create": .b(create)])])
    }

    static func removePasteboard(_ name: String) -> WireCall {
        WireCall("Pasteboards1", "RemovePasteboard", [.s(name), .none])
    }

    static func listPasteboards(_ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        WireCall("Pasteboards1", "ListPasteboards", [.options(options)])
    }

    static func waitForChange(
        _ names: [String], since: UInt64, _ options: KeyValuePairs<String, WireValue> = [:]
    ) -> WireCall {
        WireCall("Pasteboards1", "WaitForChange", [.strings(names), .t(since), .options(options)])
    }

    static let board = "/org/swiftipc/Broker1/pasteboards/canary"

    static func setItems(
        _ items: WireValue = .item("new"), _ options: KeyValuePairs<String, WireValue> = [:], at path: String = board
    ) -> WireCall {
        WireCall("Pasteboard1", "SetItems", [items, .options(options)], at: path)
    }

    static func addItems(
        _ items: WireValue = .item("new"), _ options: KeyValuePairs<String, WireValue> = [:], at path: String = board
    ) -> WireCall {
        WireCall("Pasteboard1", "AddItems", [items, .options(options)], at: path)
    }

    static func clear(_ options: KeyValuePairs<String, WireValue> = [:], at path: String = board) -> WireCall {
        WireCall("Pasteboard1", "Clear", [.options(options)], at: path)
    }

    static func getItems(_ options: KeyValuePairs<String, WireValue> = [:], at path: String = board) -> WireCall {
        WireCall("Pasteboard1", "GetItems", [.options(options)], at: path)
    }

    static func getData(_ item: UInt32, _ type: String, at path: String = board) -> WireCall {
        WireCall("Pasteboard1", "GetData", [.u(item), .s(type), .none], at: path)
    }

    static func describe() -> WireCall { WireCall("Broker1", "Describe", [.none]) }

    static func properties(_ member: String, _ body: [WireValue], at path: String = board) -> WireCall {
        WireCall("org.freedesktop.DBus.Properties", member, body, at: path)
    }

    /// A call to the bus itself.
    static func bus(_ member: String, _ body: [WireValue]) -> WireCall {
        var call = WireCall("org.freedesktop.DBus", member, body, at: "/org/freedesktop/DBus")
        call.destination = "org.freedesktop.DBus"
        return call
    }
}
