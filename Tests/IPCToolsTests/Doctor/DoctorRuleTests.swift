import IPC
import IPCDesktop
import IPCTools
import Testing

@testable import ipc_client

/// Tests of the rules of `ipc-client doctor`. Each is tested with facts in which only one thing is wrong.
@Suite("Doctor's rules")
struct DoctorRuleTests {
    /// For each finding, the change to healthy facts that must cause it.
    private static let wrong: [String: @Sendable (inout Facts) -> Void] = [
        "runtime-directory-missing": { $0.runtimeDirectory = nil },
        "runtime-directory-foreign": { $0.runtimeDirectory?.owner = 1001 },
        "runtime-directory-open": { $0.runtimeDirectory?.mode = 0o701 },
        "bus-address-missing": {
            $0.bus.failure = "no bus"
            $0.variables["DBUS_SESSION_BUS_ADDRESS"] = nil
        },
        "bus-unreachable": { $0.bus.failure = "no bus" },
        "configuration-wrong": { $0.configuration.mistake = Facts.mistake("[Limits]\nwatchers=no\n") },
        "store-foreign": { $0.store.files = [FileFacts(path: "/f", kind: .file, mode: 0o600, owner: 0)] },
        "store-read-only": { $0.store.isReadOnly = true },
        "store-full": { $0.store.free = 1 << 20 },
        "store-damaged": { $0.store.quarantined = ["store.sqlite.damaged-1"] },
        "store-gone": { $0.store.problem = "it is gone" },
        "store-in-use": { $0.store.holder = 8 },
        "service-malformed": {
            $0.services[1] = ServiceFacts(path: "/s/org.example.Well.service", bytes: Array("no key".utf8))
        },
        "service-name": { $0.services[1].path = "/s/well.service" },
        "service-unknown-to-bus": { $0.bus.activatable.remove("org.example.Well") },
        "service-elsewhere": {
            $0.services[1].path = "/home/me/.local/share/dbus-1/services/org.example.Well.service"
            $0.bus.activatable.remove("org.example.Well")
            $0.bus.otherDataHome = "/home/other/.local/share"
        },
        "service-program-missing": { $0.services[1].program = FileFacts(path: "/usr/bin/well") },
        "broker-not-activatable": {
            $0.services.removeFirst()
            $0.bus.activatable.remove(BrokerFacts.name)
        },
        "broker-start-failed": {
            $0.broker = BrokerFacts(startFailure: "it ended")
            $0.store.holder = nil
        },
        "broker-silent": { $0.broker.silence = "no answer" },
        "broker-version": { $0.broker.version = "0.0.1" },
        "limit-near": { $0.limits[0].use = 90 },
        "claim-unstartable": { $0.claims = [.healthy(isActivatable: false)] },
        "registration-without-claim": { $0.claims = [] },
        "registration-without-entry": { $0.desktop.entries = [] },
        "handler-fails": { $0.troubles = [(request: "id", sentence: "it fails")] },
        "desktop-entry-program-missing": { $0.desktop.entries[0].program?.kind = .missing },
        "desktop-cache-stale": { $0.desktop.caches = [:] },
        "desktop-default-without-entry": { $0.desktop.defaults = [Facts.association("gone.desktop")] },
    ]

    @Test func `no problem is found in a healthy state, and every check reports success`() {
        var facts = Facts.healthy()
        #expect(Check.all.flatMap { $0.findings(facts) ?? [] } == [])
        facts.desktop.defaults = [Facts.association("org.example.Well.desktop")]
        #expect(Check.report(on: facts).map(\.level) == Array(repeating: .ok, count: Check.all.count))
    }

    @Test(arguments: Finding.Word.allCases.map(\.rawValue))
    func `a problem is found under its name, with nothing but its consequences`(word: String) throws {
        let change = try #require(Self.wrong[word], "say by which facts \(word) is found")
        var facts = Facts.healthy()
        change(&facts)
        let findings = Check.all.flatMap { $0.findings(facts) ?? [] }
        let finding = try #require(findings.first { $0.word == word }, "\(findings)")
        #expect(finding.command?.isEmpty == false && finding.level != .ok)
        #expect(findings.count == 1, "\(findings)")
    }

    @Test func `every check name is unique, used and documented in the manual`() throws {
        let words = Finding.Word.allCases.map(\.rawValue)
        let root = "\(#filePath)".split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
        let manual = String(decoding: try #require(FilePlace.bytes(of: root + "/docs/tools.md")), as: UTF8.self)
        let told = Set(manual.matches(of: /`([a-z]+(?:-[a-z]+)+)`/).map { String($0.1) })
        #expect(Set(words).subtracting(told) == [])
        // Negative control: a name that does not exist is not in the manual.
        #expect(!told.contains("store-is-lost"))
        #expect(Set(words).count == words.count)
        #expect(Set(words) == Set(Self.wrong.keys))
        let names = Check.all.map(\.name)
        #expect(Set(names).count == names.count && Set(names).isDisjoint(with: words))
    }

    @Test func `the cause of a failed start is reported instead of the failed start`() {
        var facts = Facts.healthy()
        facts.broker = BrokerFacts(startFailure: "it ended")
        facts.store.holder = nil
        facts.configuration.mistake = Facts.mistake("[Limits]\nwatchers=no\n")
        #expect(Check.all.flatMap { $0.findings(facts) ?? [] }.map(\.word) == ["configuration-wrong"])
    }

    @Test func `limits are reported from 90 % on, and are a problem when they are reached`() {
        var facts = Facts.healthy()
        facts.limits = [LimitUse(name: "items-per-source", source: "", use: 95, most: 100)]
        let finding = Check.limits.findings(facts)?.first
        #expect(finding?.sentence == "95 of 100 items-per-source of writers without a name are in use")
        #expect(finding?.command?.contains("items-per-source=200") == true && finding?.level == .note)
        facts.limits[0].use = 100
        #expect(Check.limits.findings(facts)?.first?.level == .problem)
        // This limit cannot be doubled any more, so the advice is to delete something instead.
        facts.limits = [LimitUse(name: "pasteboards", source: nil, use: 9_999_999, most: 10_000_000)]
        #expect(Check.limits.findings(facts)?.first?.command == "ipc-client board prune --history")
    }

    @Test func `defaults of schemes that no application claims are not reported`() {
        var facts = Facts.healthy()
        facts.desktop.defaults = [Facts.association("gone.desktop", scheme: "other")]
        #expect(Check.desktopDefaults.findings(facts) == nil)
    }

    @Test func `an entry of another program is not reported when its program is missing`() {
        var facts = Facts.healthy()
        facts.desktop.entries = [Facts.entry(exec: "/nowhere/other %u")]
        #expect(Check.desktopEntries.findings(facts) == [])
    }

    @Test func `a file outside the user's folders is changed with sudo`() {
        var facts = Facts.healthy()
        facts.services[1].program = FileFacts(path: "/usr/bin/well")
        let command = Check.services.findings(facts)?.first?.command
        #expect(command?.hasPrefix("sudo mv -- /usr/share/dbus-1/services/org.example.Well.service ") == true)
        facts.services[1].path = "/home/me/.local/share/dbus-1/services/org.example.Well.service"
        #expect(Check.services.findings(facts)?.first?.command?.hasPrefix("mv -- ") == true)
        (facts.user, facts.services[1].path) = (0, "/usr/share/dbus-1/services/org.example.Well.service")
        #expect(Check.services.findings(facts)?.first?.command?.hasPrefix("mv -- ") == true)
    }
}

extension Facts {
    /// The first mistake in the text of a configuration file; `nil` if there is none.
    static func mistake(_ text: String) -> ConfigurationFile.Invalid? {
        do throws(ConfigurationFile.Invalid) { _ = try ConfigurationFile(text, path: "/c") } catch { return error }
        return nil
    }

    /// The desktop's default application for a scheme, read from a line of a configuration file.
    static func association(_ entry: String, scheme: String = "well.example") -> DefaultFacts {
        let text = "[Default Applications]\nx-scheme-handler/\(scheme)=\(entry)\n"
        return DefaultFacts(path: "/m", entry: KeyFile(bytes: Array(text.utf8)).schemeEntries[0])
    }
}
