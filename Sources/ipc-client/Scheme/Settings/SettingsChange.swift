import IPC
import IPCModel
import IPCTools

/// A step from the settings of this machine to those of a file.
enum SettingsChange: Sendable {
    /// - Parameter renews: whether to remove the old claim first, so that the new one is the youngest.
    case store(SchemeSettings.Claim, old: SchemeSettings.Claim?, renews: Bool)
    case remove(SchemeSettings.Claim)
    case choose(URLScheme, ApplicationID?, old: ApplicationID?)
    case setPolicy(ApplicationID, AccessPolicy?, old: AccessPolicy?)

    /// The changes that are needed, in the order in which to make them.
    /// - Parameter prunes: whether to remove settings that are not in the file.
    static func all(
        from current: SchemeSettings, to wanted: SchemeSettings, prunes: Bool
    ) -> [SettingsChange] {
        let prunable = prunes ? wanted.parts : []
        let gone = current.claims.filter { prunable.contains(.claims) && wanted.claim(like: $0) == nil }
        // A program that is removed first does not keep the scheme on the desktop from its new handler.
        var changes = gone.map(remove)
        // Storing a claim with `default` makes the choice, too. A claim that is stored without it, or removed, gives the
        // choice up.
        var given = Set(gone.filter(\.stored.isDefault).map(\.scheme))
        if prunable.contains(.defaults) { given.formUnion(current.separateChoices.keys) }
        for claim in wanted.claims where !claim.stored.isDefault {
            if current.claim(like: claim)?.stored.isDefault == true { given.insert(claim.scheme) }
        }
        let order = SettingsOrder(current: current, wanted: wanted, given: given)
        var made: Set<URLScheme> = []
        for claim in wanted.claims {
            let old = current.claim(like: claim)
            let renews = order.renewed(claim.scheme).contains(claim.stored.application)
            guard renews || old.map({ !claim.differences(from: $0).isEmpty }) ?? true else { continue }
            changes.append(.store(claim, old: old, renews: renews))
            if claim.stored.isDefault { made.insert(claim.scheme) }
        }
        for (scheme, new, old) in differences(current.choices, wanted.choices, given) where !made.contains(scheme) {
            changes.append(.choose(scheme, new, old: old))
        }
        let policies = Set(prunable.contains(.policies) ? Array(current.policies.keys) : [])
        for (application, new, old) in differences(current.policies, wanted.policies, policies) {
            // A policy without rules is not stored.
            if old != nil || new?.isOpen == false { changes.append(.setPolicy(application, new, old: old)) }
        }
        return changes
    }

    /// - Parameter given: the keys whose values go if they are not wanted.
    private static func differences<Key: Comparable, Value: Equatable>(
        _ current: [Key: Value], _ wanted: [Key: Value], _ given: Set<Key>
    ) -> [(Key, new: Value?, old: Value?)] {
        given.union(wanted.keys).sorted()
            .filter { current[$0] != wanted[$0] }
            .map { ($0, wanted[$0], current[$0]) }
    }

    /// Makes the change, with the operations of `scheme register`, `scheme unregister`, `scheme default` and
    /// `scheme policy`.
    /// - Parameter wanted: the file, which warnings do not repeat.
    /// - Returns: what to warn of.
    @DBusActor
    func make(_ app: Application, for wanted: SchemeSettings) async throws -> [StoredClaim.Stored.Warning] {
        switch self {
        case .store(let claim, _, let renews):
            if renews { try await app.unregister([claim.scheme], of: claim.stored.application) }
            var stored = try await claim.stored.store(app)
            stored.omit(wanted.claims)
            let command = claim.handler == nil ? "scheme register" : "handle"
            let kept = claim.stored.writesFiles ? [] : stored.links?.files.kept ?? []
            return stored.warnings(of: claim.stored.application, by: command) + kept
        case .remove(let claim):
            let (files, refusal) = try await StoredClaim.remove(app, [claim.scheme], of: claim.stored.application)
            if let refusal { throw refusal }
            return files.kept
        case .choose(let scheme, let application, _): try await app.setDefault(application, for: scheme)
        case .setPolicy(let application, let policy, _):
            try await app.setPolicy(policy ?? AccessPolicy(), of: application)
        }
        return []
    }
}

// MARK: Output

extension SettingsChange {
    /// Whether the setting is new, is there already, or goes away.
    private var kind: (sign: String, word: String) {
        let made = ("+", "made")
        let (changed, removed) = (("~", "changed"), ("-", "removed"))
        return switch self {
        case .store(_, let old, _): old == nil ? made : changed
        case .remove: removed
        case .choose(_, let new, let old): new == nil ? removed : old == nil ? made : changed
        case .setPolicy(_, let new, let old): new?.isOpen ?? true ? removed : old == nil ? made : changed
        }
    }

    /// The change on one line, such as `+ scheme notes: com.example.Notes`.
    var line: String {
        let text =
            switch self {
            case .store(let claim, let old, let renews):
                claim.line
                    + (old.map {
                        " (" + (claim.differences(from: $0) + (renews ? ["order"] : [])).joined(separator: ", ") + ")"
                    } ?? "")
            case .remove(let claim): claim.line
            case .choose(let scheme, let new, let old):
                "default \(scheme.canonical): " + [old, new].compactMap { $0?.text }.joined(separator: " -> ")
            case .setPolicy(let application, let new, let old):
                "policy \(application)" + (new.map { ": " + $0.line(since: old) } ?? "")
            }
        return "\(kind.sign) \(text)".onOneLine
    }

    func json(isDryRun: Bool) -> JSONValue {
        let setting: String
        let (scheme, application): (URLScheme?, ApplicationID?)
        switch self {
        case .store(let claim, _, _), .remove(let claim):
            (setting, scheme, application) = ("claim", claim.scheme, claim.stored.application)
        case .choose(let chosen, let new, let old): (setting, scheme, application) = ("default", chosen, new ?? old)
        case .setPolicy(let id, _, _): (setting, scheme, application) = ("policy", nil, id)
        }
        return .object([
            "change": .string(kind.word), "setting": .string(setting), "scheme": scheme.map { .string($0.text) },
            "application": application.map { .string($0.text) }, "dry-run": isDryRun ? .boolean(true) : nil,
        ])
    }
}

extension SchemeSettings.Claim {
    fileprivate var line: String {
        handler.map { "handle \(scheme): \($0.line)" } ?? "scheme \(scheme): \(stored.application)"
    }
}

extension AccessPolicy {
    /// The rules on one line, such as `default deny, allow a.B`, and in brackets the keys that differ from the old ones.
    fileprivate func line(since old: AccessPolicy?) -> String {
        let rules = ["default \(allowsOthers ? "allow" : "deny")"]
        let line = (rules + allowed.sorted().map { "allow \($0)" } + refused.sorted().map { "deny \($0)" })
            .joined(separator: ", ")
        guard let old else { return line }
        let keys = [
            allowsOthers == old.allowsOthers ? nil : "default", allowed == old.allowed ? nil : "allow",
            refused == old.refused ? nil : "deny",
        ]
        return line + " (\(keys.compactMap(\.self).joined(separator: ", ")))"
    }
}
