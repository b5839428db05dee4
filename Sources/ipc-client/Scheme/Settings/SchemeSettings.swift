import IPC
import IPCDesktop
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// What the user has configured about schemes: stored claims, chosen handlers and policies.
struct SchemeSettings: Sendable {
    /// A stored claim to one scheme, with everything that belongs to it.
    struct Claim: Sendable {
        let scheme: URLScheme
        let stored: StoredClaim
        /// The shell command, if `handle` has made the claim.
        let handler: CommandHandler?

        /// - Parameter stored: a claim to `scheme` alone.
        init(_ scheme: URLScheme, _ stored: StoredClaim, handler: CommandHandler? = nil) {
            (self.scheme, self.stored, self.handler) = (scheme, stored, handler)
        }
    }

    /// The claims; among those to one scheme, the handler first, then by age.
    var claims: [Claim] = []
    /// The applications that the user chose, including those that a claim with `default` chooses.
    var choices: [URLScheme: ApplicationID] = [:]
    var policies: [ApplicationID: AccessPolicy] = [:]

    /// The version of the format, which increases with every change that an older tool would misread.
    static let format: UInt32 = 1

    /// Reads the settings from the broker, and from the records of `scheme register` and `handle`.
    @DBusActor
    static func current(_ app: Application) async throws -> SchemeSettings {
        var settings = SchemeSettings()
        for try await choice in app.choices() { settings.choices[choice.scheme] = choice.application }
        for try await stored in app.policies() { settings.policies[stored.application] = stored.policy }
        let registered = try Dictionary(
            uniqueKeysWithValues: DesktopRegistration.all(in: .ofProcess).map { ($0.application, $0.facts) })
        for try await handler in app.handlers() where handler.isStored ?? (handler.kind == "persistent") {
            let id = try ApplicationID(handler.application)
            settings.claims.append(Claim(handler, id, registered[id], isChosen: handler.isDefault))
        }
        return settings
    }

    func claim(like other: Claim) -> Claim? { claims.first { $0.isSame(as: other) } }
}

extension SchemeSettings.Claim {
    /// - Parameter facts: what `scheme register` or `handle` has recorded about the application; nil if it wrote no
    ///   files.
    fileprivate init(_ claim: Handler, _ application: ApplicationID, _ facts: RegistrationFacts?, isChosen: Bool) {
        let stored = StoredClaim(
            application: application, schemes: [claim.scheme], command: facts?.command,
            isDefault: isChosen && facts?.defaults.contains(claim.scheme) == true,
            takesDescriptors: claim.takesDescriptors ?? false,
            writesFiles: facts?.schemes.contains(claim.scheme) == true)
        self.init(claim.scheme, stored, handler: facts.flatMap { CommandHandler(application, $0) })
    }

    func isSame(as other: SchemeSettings.Claim) -> Bool {
        scheme == other.scheme && stored.application == other.stored.application
    }

    /// The keys whose values differ from those of an existing claim. A key that is not stated does not differ.
    func differences(from old: SchemeSettings.Claim) -> [String] {
        var keys: [String] = []
        if let command = stored.command, command != old.stored.command {
            keys.append(handler == nil ? "exec" : "handle")
        }
        if stored.isDefault && !old.stored.isDefault { keys.append("default") }
        if stored.takesDescriptors && !old.stored.takesDescriptors { keys.append("fd") }
        if stored.writesFiles && !old.stored.writesFiles { keys.append("desktop") }
        return keys
    }

    /// The claim to store, which keeps what an existing claim has in addition.
    func keeping(_ old: SchemeSettings.Claim?) -> StoredClaim {
        var claim = stored
        claim.takesDescriptors = claim.takesDescriptors || old?.stored.takesDescriptors == true
        return claim
    }
}

// MARK: JSON

extension SchemeSettings {
    var json: JSONValue {
        let stated = Set(claims.filter(\.stored.isDefault).map(\.scheme))
        let choices = choices.filter { !stated.contains($0.key) }.sorted { $0.key < $1.key }
        return .object([
            "format": .unsigned(Self.format),
            "claims": .array(claims.map(\.json)),
            "defaults": .array(
                choices.map {
                    .object(["scheme": .string($0.key.canonical), "application": .string($0.value.text)])
                }),
            "policies": .array(
                policies.sorted { $0.key < $1.key }.map {
                    .object([JSONValue.Member("application", .string($0.key.text))] + $0.value.members)
                }),
        ])
    }
}

extension SchemeSettings.Claim {
    fileprivate var json: JSONValue {
        let isDefault = stored.isDefault ? JSONValue.boolean(true) : nil
        if let handler {
            return .object([
                "scheme": .string(scheme.text), "handle": .string(handler.line),
                "reply-type": .string(handler.reply.text), "default": isDefault,
            ])
        }
        return .object([
            "scheme": .string(scheme.text), "application": .string(stored.application.text),
            "exec": stored.command.map { .string($0.text) }, "default": isDefault,
            "fd": stored.takesDescriptors ? .boolean(true) : nil,
            "desktop": stored.writesFiles ? nil : .boolean(false),
        ])
    }
}
