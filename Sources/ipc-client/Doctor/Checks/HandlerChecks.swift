import IPC
import IPCModel
import IPCTools

extension Check {
    /// Finds claims of applications that are not running and that the bus cannot start.
    static let claims = Check("claims", right: "every application with a claim is running or can be started") { facts in
        guard facts.broker.version != nil else { return nil }
        return facts.claims.filter { $0.isRunning != true && $0.isActivatable != true }.map { claim in
            let fault =
                "\(claim.application) claims \(claim.scheme), but is not running, and the bus cannot start it"
            let level: Finding.Level = claim.isHandler ? .problem : .note
            if let command = facts.registration(of: claim.application) {
                return Finding(
                    .claimUnstartable, fault + "; register its command again", fix: command, level: level)
            }
            // The suggested command removes the claim, because only the user knows how to start the application.
            return Finding(
                .claimUnstartable, fault + "; set its command with \(claim.registering), or remove the claim",
                fix: facts.removal(of: claim), level: level)
        }
    }

    /// Finds handlers that fail, and handlers that cannot be started while requests wait for them.
    static let handlers = Check("handlers", right: "no handler has failed since it last handled a request") { facts in
        guard facts.broker.version != nil else { return nil }
        return facts.troubles.map { trouble in
            // Only the author can fix the handler, so the suggested command shows in which step the request failed.
            let trace = "\(facts.tool) request trace \(ShellLine.word(trouble.request))"
            return Finding(.handlerFails, trouble.sentence, fix: trace, level: .note)
        }
    }

    /// Finds registrations whose claims or desktop entries are missing, for example after the store was removed.
    static let registrations = Check("registrations", right: "registrations have claims and entries") { facts in
        guard facts.broker.version != nil, facts.broker.silence == nil else { return nil }
        return facts.registrations.sorted { $0.key < $1.key }.compactMap(facts.finding)
    }
}

extension Facts {
    fileprivate func removal(of claim: Handler) -> String {
        guard claim.kind == "installed", let file = claimFiles[claim.application] else {
            let removal =
                claim.isOfHandle && registrations[claim.application] == nil
                ? ShellLine.command("handle", "--remove", claim.scheme.text)
                : ShellLine.command("scheme", "unregister", claim.scheme.text, "--application", claim.application)
            return "\(tool) \(removal)"
        }
        // The broker reads handler files only when it starts, so the suggested command also stops the broker.
        return ShellLine.all(sudo(file) + ShellLine.command("rm", "--", file), broker.process.map(ShellLine.end))
    }

    fileprivate func finding(on application: String, with schemes: [String]) -> Finding? {
        let claimed = Set(claims.filter { $0.application == application }.map(\.scheme.canonical))
        let arguments = (schemes + ["--application", application, "--persistent"]).map(ShellLine.word)
        let command = registration(of: application)
        let register = command ?? "\(tool) scheme register \(arguments.joined(separator: " "))"
        // The journal of registrations does not record whether an application takes descriptors.
        let hint =
            command == nil ? "; add --fd to the command if the application accepts large payloads as descriptors" : ""
        if let scheme = schemes.first(where: { !claimed.contains(URLScheme.canonical($0)) }) {
            return Finding(
                .registrationWithoutClaim,
                "\(application) is registered for \(scheme) on the desktop, but has no claim in the broker\(hint)",
                fix: register)
        }
        let missing = schemes.first { scheme in !desktop.entries.contains { $0.opens(scheme) } }
        return missing.map {
            Finding(
                .registrationWithoutEntry,
                "\(application) is registered for \($0), but its desktop entry is gone\(hint)", fix: register)
        }
    }
}

extension Handler {
    /// Whether the claim is one of `ipc-client handle`.
    fileprivate var isOfHandle: Bool { (try? ApplicationID(commandFor: scheme))?.text == application }

    /// The command with which a user sets the command of this claim, as for a message.
    fileprivate var registering: String {
        isOfHandle ? "'ipc-client handle' and --exec" : "'ipc-client scheme register' and --exec"
    }
}
