package import IPCDBus

/// `org.swiftipc.Schemes1`: schemes and their handlers. The reference is `dbus/org.swiftipc.Schemes1.xml`.
package enum Schemes1 {
    package static let name: InterfaceName = "org.swiftipc.Schemes1"

    package static let register = Method(
        name, "Register",
        takes: .of(
            Argument<String>("application"), Argument<[String]>("schemes"), Argument<RegisterOptions>("options")),
        returns: .of(Argument<RegisterResult>("result")), "Claims URL schemes for an application.")
    package static let unregister = Method(
        name, "Unregister",
        takes: .of(Argument<String>("application"), Argument<[String]>("schemes"), Argument<NoOptions>("options")),
        returns: .none, "Removes an application's claims to URL schemes.")
    package static let canOpenURL = Method(
        name, "CanOpenURL", takes: .of(Argument<String>("url"), Argument<CanOpenURLOptions>("options")),
        returns: .of(Argument<Bool>("can_open")),
        "Reports whether OpenURL would accept this URL now from a sender that waits.")
    package static let resolveURL = Method(
        name, "ResolveURL", takes: .of(Argument<String>("url"), Argument<NoOptions>("options")),
        returns: .of(Argument<ResolutionFacts>("resolution")),
        "Explains which application would get this URL, by what rule, and why other applications would not.")
    package static let listHandlers = Method(
        name, "ListHandlers", takes: .of(Argument<String>("scheme"), Argument<PageOptions>("options")),
        returns: .of(Argument<[HandlerRow]>("handlers")), "Lists the claims to a scheme, or to all schemes.")
    package static let setDefault = Method(
        name, "SetDefault",
        takes: .of(Argument<String>("scheme"), Argument<String>("application"), Argument<NoOptions>("options")),
        returns: .none, "Stores the user's choice of the application that handles a scheme.")
    package static let listDefaults = Method(
        name, "ListDefaults", takes: .of(Argument<PageOptions>("options")),
        returns: .of(Argument<[FactsRow<DefaultFacts>]>("defaults")),
        "Lists the applications that the user chose for schemes.")
    package static let getPolicy = Method(
        name, "GetPolicy", takes: .of(Argument<String>("application"), Argument<NoOptions>("options")),
        returns: .of(Argument<PolicyFacts>("policy")),
        "Returns the policy of an application: the sources that may open its URLs.")
    package static let setPolicy = Method(
        name, "SetPolicy",
        takes: .of(
            Argument<String>("application"), Argument<PolicyOptions>("policy"), Argument<NoOptions>("options")),
        returns: .none, "Stores the policy of an application: the sources that may open its URLs.")
    package static let listPolicies = Method(
        name, "ListPolicies", takes: .of(Argument<PageOptions>("options")),
        returns: .of(Argument<[FactsRow<PolicyFacts>]>("policies")), "Lists the stored policies of applications.")
    package static let reloadClaims = Method(
        name, "ReloadClaims", takes: .of(Argument<NoOptions>("options")), returns: .none,
        "Reads the files of installed claims again.")
    package static let handlerChanged = Signal(
        name, "HandlerChanged",
        carries: .of(
            Argument<String>("scheme"), Argument<String>("old_application"), Argument<String>("new_application")),
        "Reports that a different application now handles a scheme.")

    package static let description = InterfaceDescription(
        name, register, unregister, canOpenURL, resolveURL, listHandlers, setDefault, listDefaults, getPolicy,
        setPolicy, listPolicies, reloadClaims, handlerChanged)
}

package struct RegisterOptions: Options {
    package var persistent: Bool?
    /// Whether deliveries may carry descriptors.
    package var fd: Bool?
    package var window: UInt32?
    package var allowReserved: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("persistent", \.persistent), Key("fd", \.fd), Key("window", \.window),
        Key("allow-reserved", \.allowReserved),
    ]
}

package struct CanOpenURLOptions: Options {
    package var sourceApplication: String?
    package init() {}
    package static let keys: [Key<Self>] = [Key("source-application", \.sourceApplication)]
}

/// A policy to store. A missing key gets its default value, which also applies to applications without a policy.
package struct PolicyOptions: Options {
    /// `allow` or `deny`, for sources that match no rule.
    package var others: String?
    package var allow: [String]?
    package var deny: [String]?
    package init() {}
    package static let keys: [Key<Self>] = [Key("default", \.others), Key("allow", \.allow), Key("deny", \.deny)]
}

package struct PolicyFacts: Facts {
    package var others: String?
    package var allow: [String]?
    package var deny: [String]?
    package init() {}
    package static let keys: [Key<Self>] = [Key("default", \.others), Key("allow", \.allow), Key("deny", \.deny)]
}

package struct RegisterResult: Facts {
    package var conflicts: [ClaimFacts]?
    package init() {}
    package static let keys: [Key<Self>] = [Key("conflicts", \.conflicts)]
}

package struct ClaimFacts: Facts {
    package var scheme: String?
    package var application: String?
    package var kind: String?
    package var handler: Bool?
    package var isDefault: Bool?
    package var running: Bool?
    package var activatable: Bool?
    package var stored: Bool?
    /// Whether deliveries may carry descriptors.
    package var fd: Bool?
    package var reason: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("scheme", \.scheme), Key("application", \.application), Key("kind", \.kind), Key("handler", \.handler),
        Key("default", \.isDefault), Key("running", \.running), Key("activatable", \.activatable),
        Key("stored", \.stored), Key("fd", \.fd), Key("reason", \.reason),
    ]
}

/// The user's choice for a scheme.
package struct DefaultFacts: Facts {
    package var application: String?
    package init() {}
    package static let keys: [Key<Self>] = [Key("application", \.application)]
}

package struct ResolutionFacts: Facts {
    package var application: String?
    package var reason: String?
    package var running: Bool?
    package var activatable: Bool?
    package var queueable: Bool?
    package var absentDefault: String?
    package var candidates: [ClaimFacts]?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("application", \.application), Key("reason", \.reason), Key("running", \.running),
        Key("activatable", \.activatable), Key("queueable", \.queueable),
        Key("absent-default", \.absentDefault), Key("candidates", \.candidates),
    ]
}

/// A row of ListHandlers.
package typealias HandlerRow = FactsRow<ClaimFacts>

/// A row of a list, `(sa{sv})`: a name, and what is known about it.
package struct FactsRow<Content: Facts>: DBusCodable {
    package let name: String
    package let facts: Content
    package static var dbusSignature: Signature { "(sa{sv})" }

    package init(_ name: String, _ facts: Content) { (self.name, self.facts) = (name, facts) }

    package init(from reader: inout MessageReader) throws(MessageError) {
        (name, facts) = try reader.structure { (fields) throws(MessageError) in
            (try String(from: &fields), try Content(from: &fields))
        }
    }

    package func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.structure { (fields) throws(MessageError) in
            try name.write(to: &fields)
            try facts.write(to: &fields)
        }
    }
}

/// The page of a list to return: at most `limit` rows that follow the row `after`.
package struct PageOptions: Options {
    package var after: String?
    package var limit: UInt32?
    package init() {}
    package static let keys: [Key<Self>] = [Key("after", \.after), Key("limit", \.limit)]
}
