import IPCDBus
import IPCInterface

/// The interfaces of the contract as the Swift code declares them, to compare them with the documents.
enum InterfaceTables {
    static let all: [InterfaceDescription] = [
        Broker1.description, Pasteboard1.description, PasteboardWriter1.description, Pasteboards1.description,
        Schemes1.description, Simple1.description, URLHandler1.description, URLs1.description,
        FreedesktopApplication.description,
    ]

    /// The keys that may be in the `a{sv}` dictionaries of one member, with their types.
    struct Keys: Sendable {
        /// The keys of each argument that is a dictionary, by the argument's name.
        let arguments: [String: [String: String]]
        /// The keys of dictionaries inside the arguments' dictionaries; the member's comment documents them too.
        var nested: [String: String] = [:]
        /// The keys that are in a table shared by several members, but that this member does not use.
        var unused: Set<String> = []
    }

    private static func table<Values: KeyedValues>(_ type: Values.Type) -> [String: String] {
        Dictionary(uniqueKeysWithValues: type.keys.map { ($0.name, $0.signature.text) })
    }

    /// The keys for each member, named `Interface.Member`; a member that is missing here has no dictionaries.
    static let keys: [String: Keys] = {
        let none = table(NoOptions.self)
        let claim = table(ClaimFacts.self)
        let version = table(VersionFacts.self)
        let request = table(RequestFacts.self)
        return [
            "Broker1.Connect": Keys(arguments: ["options": table(ConnectOptions.self)]),
            "Broker1.Describe": Keys(arguments: ["options": none]),
            "Broker1.GetLimits": Keys(arguments: ["options": none]),
            "Schemes1.Register": Keys(
                arguments: ["options": table(RegisterOptions.self), "result": table(RegisterResult.self)],
                nested: claim, unused: ["default", "running", "activatable", "stored", "reason"]),
            "Schemes1.Unregister": Keys(arguments: ["options": none]),
            "Schemes1.CanOpenURL": Keys(arguments: ["options": table(CanOpenURLOptions.self)]),
            "Schemes1.ResolveURL": Keys(
                arguments: ["options": none, "resolution": table(ResolutionFacts.self)], nested: claim,
                unused: ["scheme", "handler", "default", "stored", "fd"]),
            "Schemes1.ListHandlers": Keys(
                arguments: ["options": table(PageOptions.self), "handlers": claim], unused: ["scheme", "reason"]),
            "Schemes1.SetDefault": Keys(arguments: ["options": none]),
            "Schemes1.ListDefaults": Keys(
                arguments: ["options": table(PageOptions.self), "defaults": table(DefaultFacts.self)]),
            "Schemes1.ListPolicies": Keys(
                arguments: ["options": table(PageOptions.self), "policies": table(PolicyFacts.self)]),
            "Schemes1.GetPolicy": Keys(arguments: ["options": none, "policy": table(PolicyFacts.self)]),
            "Schemes1.SetPolicy": Keys(arguments: ["options": none, "policy": table(PolicyOptions.self)]),
            "Schemes1.ReloadClaims": Keys(arguments: ["options": none]),
            "Pasteboards1.GetPasteboard": Keys(arguments: ["options": table(GetPasteboardOptions.self)]),
            "Pasteboards1.CreateUniquePasteboard": Keys(
                arguments: ["options": table(UniquePasteboardOptions.self)]),
            "Pasteboards1.RemovePasteboard": Keys(arguments: ["options": none]),
            "Pasteboards1.ListPasteboards": Keys(
                arguments: ["options": table(ListPasteboardsOptions.self), "pasteboards": table(PasteboardFacts.self)]),
            "Pasteboards1.FetchPromises": Keys(arguments: ["options": none]),
            "Pasteboards1.SkipChangeCounts": Keys(arguments: ["options": none]),
            "Pasteboards1.WaitForChange": Keys(
                arguments: ["options": table(WaitOptions.self), "facts": table(ChangeFacts.self)]),
            "Pasteboard1.SetItems": Keys(arguments: ["options": table(WriteOptions.self)]),
            "Pasteboard1.AddItems": Keys(arguments: ["options": table(WriteOptions.self)]),
            "Pasteboard1.Clear": Keys(arguments: ["options": table(ClearOptions.self)]),
            "Pasteboard1.GetItems": Keys(
                arguments: [
                    "options": table(GetItemsOptions.self),
                    "facts": version.filter {
                        !["change-count", "digest", "fd", "item-count", "types"].contains($0.key)
                    },
                ]),
            "Pasteboard1.GetData": Keys(
                arguments: ["options": table(GetDataOptions.self), "facts": version],
                unused: ["digests", "item-count", "types"]),
            "Pasteboard1.ListVersions": Keys(
                arguments: ["options": none, "versions": version], unused: ["digest", "digests", "fd"]),
            "PasteboardWriter1.GetPromisedData": Keys(arguments: ["options": table(PromisedDataOptions.self)]),
            "URLHandler1.OpenURL": Keys(
                arguments: ["context": table(OpenURLContext.self), "answer": table(HandlerReply.self)]),
            "Application.Activate": Keys(arguments: ["platform_data": table(PlatformData.self)]),
            "Application.Open": Keys(arguments: ["platform_data": table(PlatformData.self)]),
            "Application.ActivateAction": Keys(arguments: ["platform_data": table(PlatformData.self)]),
            "URLs1.OpenURL": Keys(
                arguments: ["options": table(OpenURLOptions.self), "result": table(OpenURLResult.self)],
                nested: table(PayloadSetOptions.self)),
            "URLs1.GetRequest": Keys(
                arguments: ["options": table(GetRequestOptions.self), "request": request]),
            "URLs1.WaitRequest": Keys(
                arguments: ["options": table(WaitRequestOptions.self), "result": table(OpenURLResult.self)]),
            "URLs1.CancelRequest": Keys(arguments: ["options": none]),
            "URLs1.RetryRequest": Keys(arguments: ["options": table(RetryRequestOptions.self)]),
            "URLs1.DropRequest": Keys(arguments: ["options": none]),
            "URLs1.ListRequests": Keys(
                arguments: [
                    "options": table(ListRequestsOptions.self),
                    "requests": request.filter { !["items", "retried-as"].contains($0.key) },
                ]),
            "URLs1.TraceRequest": Keys(arguments: ["options": none, "steps": table(TraceFacts.self)]),
        ]
    }()
}
