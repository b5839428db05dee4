import IPC
import IPCDesktop
import IPCModel
import IPCTools

/// A value of a settings file, with its path for messages, such as `claims[0].exec`.
private struct SettingsValue {
    let json: JSONValue
    let path: String

    func failure(_ reason: String) -> ToolFailure { .badSettings("\(path): \(reason)") }

    /// The members of an object that has only these keys.
    func members(_ keys: [String]) throws(ToolFailure) -> [String: SettingsValue] {
        guard let members = json.members else {
            throw failure("must be an object")
        }
        let inside = path == SettingsReader.root ? "" : path + "."
        var values: [String: SettingsValue] = [:]
        for member in members {
            let value = SettingsValue(json: member.value, path: inside + member.key.onOneLine)
            guard keys.contains(member.key) else {
                let near = Spelling.nearest(to: member.key, among: keys).map { "; did you mean \($0.quoted)?" }
                throw value.failure("there is no such key" + (near ?? "; the keys are \(keys.joined(separator: ", "))"))
            }
            guard values.updateValue(value, forKey: member.key) == nil else { throw value.failure("is there twice") }
        }
        return values
    }

    func elements() throws(ToolFailure) -> [SettingsValue] {
        guard let elements = json.array else { throw failure("must be an array") }
        return elements.enumerated().map { SettingsValue(json: $1, path: "\(path)[\($0)]") }
    }

    func string() throws(ToolFailure) -> String {
        guard let text = json.string else { throw failure("must be a string") }
        return text
    }

    func boolean() throws(ToolFailure) -> Bool {
        guard let value = json.boolean else { throw failure("must be true or false") }
        return value
    }

    /// Converts the string; the error of an unsuitable one becomes a message with the path.
    func parsed<Value>(_ parse: (String) throws -> Value) throws(ToolFailure) -> Value {
        let text = try string()
        do { return try parse(text) } catch let failure as ToolFailure { throw failure } catch {
            throw failure((error as? any Condition)?.ipcError.message ?? "\(error)")
        }
    }
}

/// Reads the settings of a file, and checks everything that can be checked without the broker.
struct SettingsReader {
    fileprivate static let root = "the file"
    private var settings = SchemeSettings()
    /// For each application, the first claim, and the first one with files, each with its path.
    private var (firsts, linked) = ([ApplicationID: Placed](), [ApplicationID: Placed]())
    private typealias Placed = (claim: StoredClaim, path: String)

    /// - Throws: ``ToolFailure`` with exit code 65, which names the line or the path of the wrong value.
    static func read(_ bytes: [UInt8]) throws(ToolFailure) -> SchemeSettings {
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue(parsing: bytes) } catch {
            let line = 1 + bytes.prefix(error.byte - 1).count { $0 == UInt8(ascii: "\n") }
            throw .badSettings("line \(line): \(error.reason)")
        }
        var reader = SettingsReader()
        try reader.read(SettingsValue(json: json, path: root))
        return reader.settings
    }

    private mutating func read(_ file: SettingsValue) throws(ToolFailure) {
        let members = try file.members(["format"] + SchemeSettings.Part.allCases.map(\.rawValue))
        guard let format = members["format"] else { throw .badSettings("format: is missing; write 1") }
        guard format.json == .unsigned(SchemeSettings.format) else {
            throw format.failure("must be \(SchemeSettings.format); a newer version of ipc-client may read this file")
        }
        settings.parts = Set(members.keys.compactMap(SchemeSettings.Part.init(rawValue:)))
        for claim in try members["claims"]?.elements() ?? [] { try addClaim(claim) }
        for choice in try members["defaults"]?.elements() ?? [] { try addChoice(choice) }
        for policy in try members["policies"]?.elements() ?? [] { try addPolicy(policy) }
    }

    // MARK: Claims

    private mutating func addClaim(_ value: SettingsValue) throws(ToolFailure) {
        let isCommand = value.json["handle"] != nil
        let members = try value.members(
            isCommand
                ? ["scheme", "handle", "reply-type", "default"]
                : ["scheme", "application", "exec", "default", "fd", "desktop"])
        let claim = try isCommand ? handled(value, members) : registered(value, members)
        guard settings.claim(like: claim) == nil else {
            throw value.failure("\(claim.stored.application) claims \(claim.scheme) twice")
        }
        if claim.stored.isDefault { try choose(claim.stored.application, for: claim.scheme, value) }
        settings.claims.append(claim)
    }

    /// A claim of `scheme register`.
    private mutating func registered(
        _ value: SettingsValue, _ members: [String: SettingsValue]
    ) throws(ToolFailure) -> SchemeSettings.Claim {
        let scheme = try value.required("scheme", members).parsed { try URLScheme($0) }
        let application = try value.required("application", members).parsed { try ApplicationID(registering: $0) }
        let command = try members["exec"]?.parsed { try CommandWords.read($0) }
        let writesFiles = try members["desktop"]?.boolean() ?? true
        let isDefault = try members["default"]?.boolean() ?? false
        if let members = [members["exec"], isDefault ? members["default"] : nil].compactMap(\.self).first, !writesFiles
        {
            throw members.failure("needs the files that \"desktop\": false does not write; leave out \"desktop\"")
        }
        let claim = StoredClaim(
            application: application, schemes: [scheme], command: command, isDefault: isDefault, allowsReserved: true,
            takesDescriptors: try members["fd"]?.boolean() ?? false, writesFiles: writesFiles, isExact: true)
        try checkShared(claim, value.path)
        return SchemeSettings.Claim(scheme, claim)
    }

    /// Checks the keys that belong to the application, and must therefore be equal in all its claims: `fd`, and in those
    /// with files, `exec`.
    private mutating func checkShared(_ claim: StoredClaim, _ path: String) throws(ToolFailure) {
        let id = claim.application
        let first = firsts[id] ?? (claim, path)
        guard first.claim.takesDescriptors == claim.takesDescriptors else {
            throw .badSettings(
                "\(path).fd: \(id) has another value at \(first.path).fd, but \"fd\" belongs to the application; write "
                    + "the same in all its claims")
        }
        firsts[id] = first
        guard claim.writesFiles else { return }
        let other = linked[id] ?? (claim, path)
        guard other.claim.command == claim.command else {
            throw .badSettings(
                "\(path).exec: \(id) has another command at \(other.path).exec, but the bus starts an application with "
                    + "one command; write the same in all its claims")
        }
        linked[id] = other
    }

    /// A claim of `handle`.
    private func handled(
        _ value: SettingsValue, _ members: [String: SettingsValue]
    ) throws(ToolFailure) -> SchemeSettings.Claim {
        let scheme = try value.required("scheme", members)
        let line = try value.required("handle", members)
        let reply = try members["reply-type"]?.string() ?? CommandReply.none.text
        guard try line.string().contains(where: { !$0.isWhitespace }) else {
            throw line.failure("the command is empty")
        }
        guard let reply = CommandReply(argument: reply) else {
            throw members["reply-type"]?.failure("\(reply.quoted) is neither a content type, nor auto or none")
                ?? value.failure("has no reply type")
        }
        let handler = CommandHandler(
            scheme: try scheme.parsed { try URLScheme($0) }, line: try line.string(), reply: reply)
        let isDefault = try members["default"]?.boolean() ?? false
        var claim = try line.parsed { _ in try handler.claim(isDefault: isDefault, allowsReserved: true) }
        claim.isExact = true
        return SchemeSettings.Claim(handler.scheme, claim, handler: handler)
    }

    // MARK: Choices and policies

    private mutating func choose(
        _ application: ApplicationID, for scheme: URLScheme, _ value: SettingsValue
    ) throws(ToolFailure) {
        let other = settings.choices.updateValue(application, forKey: scheme)
        if let other, other != application {
            throw value.failure("the scheme \(scheme) has the default \(other) already")
        }
    }

    private mutating func addChoice(_ value: SettingsValue) throws(ToolFailure) {
        let members = try value.members(["scheme", "application"])
        try choose(
            try value.required("application", members).parsed { try ApplicationID($0) },
            for: try value.required("scheme", members).parsed { try URLScheme($0) }, value)
    }

    private mutating func addPolicy(_ value: SettingsValue) throws(ToolFailure) {
        let members = try value.members(["application", "default", "allow", "deny"])
        let application = try value.required("application", members).parsed { try ApplicationID($0) }
        var policy = AccessPolicy()
        if let rule = members["default"] {
            guard let word = SchemePolicy.Rule(rawValue: try rule.string()) else {
                throw rule.failure("must be \"allow\" or \"deny\"")
            }
            policy.allowsOthers = word == .allow
        }
        policy.allowed = try ids(members["allow"])
        policy.refused = try ids(members["deny"])
        if let both = policy.allowed.intersection(policy.refused).min() {
            throw value.failure("\(both) cannot be both allowed and denied")
        }
        guard settings.policies.updateValue(policy, forKey: application) == nil else {
            throw value.failure("\(application) has another policy already")
        }
    }

    private func ids(_ value: SettingsValue?) throws(ToolFailure) -> Set<ApplicationID> {
        let elements = try value?.elements() ?? []
        let most = Limits().namesPerCall
        if let value, elements.count > most { throw value.failure("at most \(most) ids are allowed") }
        return Set(try elements.map { (id) throws(ToolFailure) in try id.parsed { try ApplicationID($0) } })
    }
}

extension SettingsValue {
    /// The value of a key that this object must have.
    fileprivate func required(
        _ key: String, _ members: [String: SettingsValue]
    ) throws(ToolFailure) -> SettingsValue {
        guard let value = members[key] else { throw failure("lacks the key \(key.quoted)") }
        return value
    }
}

extension ToolFailure {
    fileprivate static func badSettings(_ message: String) -> ToolFailure {
        ToolFailure(name: IPCError.Code.invalidArguments.rawValue, message: message, exit: .dataError)
    }
}
