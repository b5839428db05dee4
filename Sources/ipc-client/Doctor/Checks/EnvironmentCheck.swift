import IPCDesktop

/// Whether what this shell says counts for what the bus starts too.
struct EnvironmentCheck: Check {
    static let name = "environment"
    static let words = ["data-home-elsewhere", "store-elsewhere"]

    func findings(in facts: Facts) -> [Finding] { [dataHome(facts), store(facts)].compactMap(\.self) }

    func assurance(in facts: Facts) -> String? {
        facts.bus.environment == nil ? nil : "this shell and the bus agree where data and the store are"
    }

    private func dataHome(_ facts: Facts) -> Finding? {
        guard let own = facts.directories.dataHome, let other = facts.bus.otherDataHome,
            // A file that lies there tells more.
            !ServiceNameCheck().findings(in: facts).contains(where: { $0.word == "service-elsewhere" })
        else { return nil }
        return .note(
            Self.words[0],
            "the bus looks for data below \(other), and this shell has it below \(own): what is registered or set up here is "
                + "not seen there",
            mend: "export XDG_DATA_HOME=" + ShellLine.word(other))
    }

    private func store(_ facts: Facts) -> Finding? {
        facts.store.unused.map {
            .note(
                Self.words[1],
                "SWIFT_IPC_STORE is \($0) in this shell, and the broker has \(facts.store.path): the variable counts only "
                    + "where the broker is started with it", mend: "unset SWIFT_IPC_STORE")
        }
    }
}

extension Facts {
    /// Begins a bus for this shell, which finds what this shell finds: with another `HOME` than the password file's it has to be
    /// told where, for it looks there.
    var ownBus: String {
        guard let own = directories.dataHome, let home = user.home, own != home + "/.local/share" else {
            return ShellLine.ownBus
        }
        return ShellLine.all("export XDG_DATA_HOME=" + ShellLine.word(own), ShellLine.ownBus)
    }
}
