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
        /// Whether a file that belongs to the claim is no longer there.
        var lacksFiles = false
        /// Whether the desktop prefers the application, even if the user has chosen another one since.
        var isPreferredOnDesktop = false

        /// - Parameter stored: a claim to `scheme` alone.
        init(_ scheme: URLScheme, _ stored: StoredClaim, handler: CommandHandler? = nil) {
            (self.scheme, self.stored, self.handler) = (scheme, stored, handler)
        }
    }

    /// The parts of a file that can be left out. Settings of an absent part stay as they are.
    enum Part: String, CaseIterable {
        case claims, defaults, policies
    }

    /// The claims; among those to one scheme, the handler first, then by age.
    var claims: [Claim] = []
    /// The applications that the user chose, including those that a claim with `default` chooses.
    var choices: [URLScheme: ApplicationID] = [:]
    var policies: [ApplicationID: AccessPolicy] = [:]
    /// The parts that are there.
    var parts = Set(Part.allCases)

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
        // The command is written for the schemes with files; the application may have others.
        let facts = facts.flatMap { $0.schemes.contains(claim.scheme) ? $0 : nil }
        let isPreferred = facts?.defaults.contains(claim.scheme) == true
        let stored = StoredClaim(
            application: application, schemes: [claim.scheme], command: facts?.command,
            isDefault: isChosen && isPreferred,
            takesDescriptors: claim.takesDescriptors ?? false, writesFiles: facts != nil)
        self.init(claim.scheme, stored, handler: facts.flatMap { CommandHandler(application, $0) })
        (lacksFiles, isPreferredOnDesktop) = (facts?.lacksFiles ?? false, isPreferred)
    }

    /// Whether a file can state the claim. It cannot state a command of `handle` whose record is lost.
    fileprivate var isStatable: Bool { handler != nil || !stored.application.isOfCommand }

    func isSame(as other: SchemeSettings.Claim) -> Bool {
        scheme == other.scheme && stored.application == other.stored.application
    }

    /// The keys whose values differ from those of an existing claim; `files` if files are to be written again.
    func differences(from old: SchemeSettings.Claim) -> [String] {
        var keys: [String] = []
        if let handler {
            if handler.line != old.handler?.line { keys.append("handle") }
            if handler.reply != old.handler?.reply { keys.append("reply-type") }
        } else if stored.command != old.stored.command {
            keys.append("exec")
        }
        if stored.isDefault ? !old.stored.isDefault : old.isPreferredOnDesktop { keys.append("default") }
        // An `ipc-server` that runs says itself that it takes descriptors.
        if handler == nil, stored.takesDescriptors != old.stored.takesDescriptors { keys.append("fd") }
        if stored.writesFiles != old.stored.writesFiles { keys.append("desktop") }
        let isMoved = handler != nil && handler == old.handler && stored.command != old.stored.command
        if stored.writesFiles && old.lacksFiles || isMoved { keys.append("files") }
        return keys
    }
}

// MARK: JSON

extension SchemeSettings {
    /// The choices that no claim with `default` makes.
    var separateChoices: [URLScheme: ApplicationID] {
        let stated = Set(claims.filter(\.stored.isDefault).map(\.scheme))
        return choices.filter { !stated.contains($0.key) }
    }

    var json: JSONValue {
        let choices = separateChoices.sorted { $0.key < $1.key }
        return .object([
            "format": .unsigned(Self.format),
            "claims": .array(claims.filter(\.isStatable).map(\.json)),
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
