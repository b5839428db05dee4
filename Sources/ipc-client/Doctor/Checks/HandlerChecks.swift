import IPCModel
import IPCTools

extension Check {
    /// Claims of applications that the bus cannot start.
    static let claims = Check("claims") { facts in
        facts.claims.filter { !$0.isRunning && !$0.isActivatable }.map { claim in
            // What mends without a word of the user takes the claim back.
            let advice =
                claim.file != nil
                ? ""
                : "; 'ipc-client register \(claim.scheme) --application \(claim.application) --persistent --exec COMMAND' "
                    + "says how it is started, and else the claim is to go"
            return .finding(
                isProblem: claim.isHandler, .claimUnstartable,
                "\(claim.application) claims \(claim.scheme), and neither runs nor can be started by the bus: "
                    + (claim.isHandler ? "what is not queued is refused" : "it is passed over while others are there")
                    + advice,
                mend: facts.removal(of: claim))
        }
    } right: { facts in
        guard facts.broker.version != nil else { return nil }
        return "every one of \(facts.claims.count) claims is of an application that runs or can be started"
    }

    /// Handlers that fail.
    static let handlers = Check("handlers") { facts in
        facts.troubles.map { trouble in
            let reason = trouble.message.isEmpty ? "" : " (\(trouble.message.asTold))"
            let requests = trouble.count == 1 ? "request" : "\(trouble.count) requests"
            let what =
                trouble.end.map { "the newest \(requests) to \(trouble.application) came to nothing: \($0.rawValue)" }
                ?? "a request waits for \(trouble.application), whose start fails"
            // Only the author of the handler can mend it; the steps say where it fails.
            return .note(
                .handlerFails, what + reason,
                mend: "\(facts.tool.command) trace \(ShellLine.word(trouble.request))")
        }
    } right: { facts in
        facts.broker.version == nil ? nil : "no handler has failed since it last handled a request"
    }

    /// Whether what `register --persistent` has noted is still so, in the broker and on the desktop.
    static let registrations = Check("registrations") { facts in
        guard facts.broker.version != nil, facts.broker.silence == nil else { return [] }
        return facts.registrations.compactMap { registration in
            let own = facts.claims.filter { $0.application == registration.application }
            let claimed = Set(own.map { $0.scheme.lowercased() })
            // What a claim said of descriptors is not to be learnt from anywhere.
            let hint = "; add --fd to the command if it takes large payloads as descriptors"
            let words =
                ["register"] + registration.schemes + ["--application", registration.application, "--persistent"]
            let mend = "\(facts.tool.command) \(words.map(ShellLine.word).joined(separator: " "))"
            if let scheme = registration.schemes.first(where: { !claimed.contains($0.lowercased()) }) {
                return .problem(
                    .registrationWithoutClaim,
                    "\(registration.application) is registered for \(scheme) on the desktop, and has no claim to it in the "
                        + "broker\(hint)", mend: mend)
            }
            let missing = registration.schemes.first { scheme in
                !facts.desktop.entries.contains { $0.opens(scheme.lowercased()) }
            }
            return missing.map {
                .problem(
                    .registrationWithoutEntry,
                    "\(registration.application) is registered for \($0), and no desktop entry is left for it\(hint)",
                    mend: mend)
            }
        }
    } right: { facts in
        facts.registrations.isEmpty ? nil : "what is registered on the desktop is claimed, and has its desktop entries"
    }
}

extension Facts {
    fileprivate func removal(of claim: ClaimFacts) -> String {
        guard let file = claim.file else {
            let words = ["unregister", claim.scheme, "--application", claim.application].map(ShellLine.word)
            return "\(tool.command) \(words.joined(separator: " "))"
        }
        // The broker reads such files when it starts.
        return ShellLine.all(
            ShellLine.command("rm", "--", file.path, asRoot: !file.isWritable), broker.process.map(ShellLine.end))
    }
}
