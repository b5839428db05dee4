import IPC
import IPCModel
import IPCTools

/// A step from the settings of this machine to those of a file.
enum SettingsChange: Sendable {
    case store(SchemeSettings.Claim, old: SchemeSettings.Claim?)
    case remove(SchemeSettings.Claim)
    case choose(URLScheme, ApplicationID?, old: ApplicationID?)
    case setPolicy(ApplicationID, AccessPolicy?, old: AccessPolicy?)

    /// The changes that are needed, in the order in which to make them.
    /// - Parameter prunes: whether to remove settings that are not in the file.
    static func all(
        from current: SchemeSettings, to wanted: SchemeSettings, prunes: Bool
    ) -> [SettingsChange] {
        // A program that is removed first does not keep the scheme on the desktop from its new handler.
        var changes = prunes ? current.claims.filter { wanted.claim(like: $0) == nil }.map(remove) : []
        for claim in wanted.claims {
            let old = current.claim(like: claim)
            if old.map({ !claim.differences(from: $0).isEmpty }) ?? true { changes.append(.store(claim, old: old)) }
        }
        // Storing a claim with `default` makes the choice, too.
        let made = changes.reduce(into: Set<URLScheme>()) { made, change in
            if case .store(let claim, _) = change, claim.stored.isDefault { made.insert(claim.scheme) }
        }
        for (scheme, new, old) in differences(current.choices, wanted.choices, prunes) where !made.contains(scheme) {
            changes.append(.choose(scheme, new, old: old))
        }
        for (application, new, old) in differences(current.policies, wanted.policies, prunes) {
            // A policy without rules is not stored.
            if old != nil || new?.isOpen == false { changes.append(.setPolicy(application, new, old: old)) }
        }
        return changes
    }

    private static func differences<Key: Comparable, Value: Equatable>(
        _ current: [Key: Value], _ wanted: [Key: Value], _ prunes: Bool
    ) -> [(Key, new: Value?, old: Value?)] {
        Set(prunes ? Array(current.keys) : []).union(wanted.keys).sorted()
            .filter { current[$0] != wanted[$0] }
            .map { ($0, wanted[$0], current[$0]) }
    }

    /// Makes the change, with the operations of `scheme register`, `scheme unregister`, `scheme default` and
    /// `scheme policy`.
    @DBusActor
    func make(_ app: Application, _ output: OutputOptions) async throws {
        switch self {
        case .store(let claim, let old):
            let stored = try await claim.keeping(old).store(app)
            try output.warn(
                of: stored, for: claim.stored.application, by: claim.handler == nil ? "scheme register" : "handle")
        case .remove(let claim):
            let (files, refusal) = try await StoredClaim.remove(app, [claim.scheme], of: claim.stored.application)
            if let refusal { throw refusal }
            try output.warnOfKept(files)
        case .choose(let scheme, let application, _): try await app.setDefault(application, for: scheme)
        case .setPolicy(let application, let policy, _):
            try await app.setPolicy(policy ?? AccessPolicy(), of: application)
        }
    }
}

// MARK: Output

extension SettingsChange {
    /// Whether the setting is new, is there already, or goes away.
    private var kind: (sign: String, word: String) {
        let made = ("+", "made")
        let (changed, removed) = (("~", "changed"), ("-", "removed"))
        return switch self {
        case .store(_, let old): old == nil ? made : changed
        case .remove: removed
        case .choose(_, let new, let old): new == nil ? removed : old == nil ? made : changed
        case .setPolicy(_, let new, let old): new?.isOpen ?? true ? removed : old == nil ? made : changed
        }
    }

    /// The change on one line, such as `+ scheme notes: com.example.Notes`.
    var line: String {
        let text =
            switch self {
            case .store(let claim, let old):
                claim.line + (old.map { " (" + claim.differences(from: $0).joined(separator: ", ") + ")" } ?? "")
            case .remove(let claim): claim.line
            case .choose(let scheme, let new, let old):
                "default \(scheme.canonical): " + [old, new].compactMap { $0?.text }.joined(separator: " -> ")
            case .setPolicy(let application, let new, _):
                "policy \(application)" + (new.map { ": " + $0.line } ?? "")
            }
        return "\(kind.sign) \(text)".onOneLine
    }

    func json(isDryRun: Bool) -> JSONValue {
        let setting: String
        let (scheme, application): (URLScheme?, ApplicationID?)
        switch self {
        case .store(let claim, _), .remove(let claim):
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
    /// The rules on one line, such as `default deny, allow a.B`.
    fileprivate var line: String {
        let rules = ["default \(allowsOthers ? "allow" : "deny")"]
        return (rules + allowed.sorted().map { "allow \($0)" } + refused.sorted().map { "deny \($0)" })
            .joined(separator: ", ")
    }
}
