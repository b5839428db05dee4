/// Whether what `register --persistent` has noted is still so, in the broker and on the desktop.
struct RegistrationCheck: Check {
    static let name = "registrations"
    static let words = ["registration-without-claim", "registration-without-entry"]

    func findings(in facts: Facts) -> [Finding] {
        guard facts.broker.version != nil, facts.broker.silence == nil else { return [] }
        return facts.registrations.compactMap { registration in
            let claimed = Set(facts.claims.filter { $0.application == registration.application }.map(\.key))
            let mend = mend(registration, facts)
            if let scheme = registration.schemes.first(where: { !claimed.contains($0.lowercased()) }) {
                return .problem(
                    Self.words[0],
                    "\(registration.application) is registered for \(scheme) on the desktop, and has no claim to it in the "
                        + "broker\(Self.hint)", mend: mend)
            }
            guard let scheme = registration.schemes.first(where: { !facts.isOnDesktop($0) }) else { return nil }
            return .problem(
                Self.words[1],
                "\(registration.application) is registered for \(scheme), and no desktop entry is left for it\(Self.hint)",
                mend: mend)
        }
    }

    func assurance(in facts: Facts) -> String? {
        facts.registrations.isEmpty ? nil : "what is registered on the desktop is claimed, and has its desktop entries"
    }

    /// What a claim said of descriptors is not to be learnt from anywhere.
    private static let hint = "; add --fd to the command if it takes large payloads as descriptors"

    private func mend(_ registration: RegistrationFacts, _ facts: Facts) -> String {
        let words = ["register"] + registration.schemes + ["--application", registration.application, "--persistent"]
        return "\(facts.tool.command) \(words.map(ShellLine.word).joined(separator: " "))"
    }
}

extension ClaimFacts {
    /// The scheme as it is compared.
    fileprivate var key: String { scheme.lowercased() }
}

extension Facts {
    /// Whether some desktop entry is for a scheme.
    fileprivate func isOnDesktop(_ scheme: String) -> Bool {
        desktop.entries.contains { $0.opens(scheme.lowercased()) }
    }
}
