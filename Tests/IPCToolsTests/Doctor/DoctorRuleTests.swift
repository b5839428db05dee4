import IPCTools
import Testing

@testable import ipc_client

/// The rules of `doctor`, each on facts in which one thing is wrong.
@Suite("Doctor's rules")
struct DoctorRuleTests {
    /// What is wrong, by the word that has to be found.
    private static let wrong: [String: @Sendable (inout Facts) -> Void] = [
        "runtime-directory-missing": { $0.runtimeDirectory = nil },
        "runtime-directory-foreign": { $0.runtimeDirectory?.owner = 1001 },
        "runtime-directory-open": { $0.runtimeDirectory?.mode = 0o701 },
        "bus-address-missing": {
            $0.bus.failure = "no bus"
            $0.variables["DBUS_SESSION_BUS_ADDRESS"] = nil
        },
        "bus-unreachable": { $0.bus.failure = "no bus" },
        "bus-is-system": { $0.bus.isSystemBus = true },
        "configuration-wrong": { $0.configuration.take("[Limits]\nwatchers=no\n") },
        "configuration-unreadable": { $0.configuration.unreadable = "it is not UTF-8" },
        "store-foreign": { $0.store.files = [FileFacts(path: "/f", kind: .file, mode: 0o600, owner: 0)] },
        "store-open": { $0.store.files = [FileFacts(path: "/f", kind: .file, mode: 0o640, owner: 1000)] },
        "store-read-only": { $0.store.fileSystem.isReadOnly = true },
        "store-full": { $0.store.fileSystem.free = 1 << 20 },
        "store-damaged": { $0.store.putAway = ["store.sqlite.damaged-1"] },
        "store-gone": { ($0.store.directory, $0.store.source) = (FileFacts(path: "/gone"), .broker) },
        "store-no-folder": { $0.store.directory.kind = .file },
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
        "store-elsewhere": { $0.store.unused = "/trial" },
        "service-without-program": { $0.services[1].program = nil },
        "service-relative-program": { $0.services[1].program = FileFacts(path: "well") },
        "service-program-missing": { $0.services[1].program = FileFacts(path: "/usr/bin/well") },
        "service-unit-missing": {
            $0.services[1] = Facts.service("org.example.Well", "/usr/bin/well", unit: "well.service")
            $0.services[1].hasUnit = false
        },
        "broker-not-activatable": {
            $0.services.removeFirst()
            $0.bus.activatable.remove(BrokerFacts.name)
        },
        "broker-start-failed": {
            $0.broker = BrokerFacts(startFailure: "it ended")
            $0.store.holder = nil
        },
        "broker-silent": { $0.broker.silence = "no answer" },
        "broker-replaced": { $0.broker.isReplaced = true },
        "broker-version": { $0.broker.version = "0.0.1" },
        "limit-near": { $0.limits[0].use = 90 },
        "claim-unstartable": { $0.claims[0].isActivatable = false },
        "registration-without-claim": { $0.claims = [] },
        "registration-without-entry": {
            $0.desktop.entries = []
            $0.desktop.caches = []
        },
        "handler-fails": {
            $0.troubles = [TroubleFacts(application: "org.example.Well", request: "id")]
        },
        "desktop-entry-without-claim": {
            $0.desktop.entries[0].application = "org.example.Gone"
            $0.desktop.caches = []
        },
        "desktop-entries-several": { $0.add(Facts.entry("other.desktop")) },
        "desktop-entry-without-url": { $0.desktop.entries = [Facts.entry(exec: "/usr/bin/ipc-client open")] },
        "desktop-entry-program-missing": { $0.desktop.entries[0].program?.kind = .missing },
        "desktop-cache-stale": { $0.desktop.caches = [] },
        "desktop-default-without-entry": {
            $0.desktop.associations = [
                AssociationFacts(
                    path: "/m", line: 2, text: "x-scheme-handler/well.example=gone.desktop",
                    type: "x-scheme-handler/well.example", entries: ["gone.desktop"])
            ]
        },
    ]

    @Test func `nothing is found where nothing is wrong, and every check says what is right`() {
        var facts = Facts.healthy()
        #expect(Check.all.flatMap { $0.findings(facts) } == [])
        facts.configuration.take("")
        facts.desktop.associations = [AssociationFacts(entries: ["org.example.Well.desktop"])]
        facts.services[0] = Facts.service(
            BrokerFacts.name, "/usr/libexec/swift-ipc/ipc-broker", unit: "ipc-broker.service")
        facts.bus.environment = [:]
        #expect(Check.report(on: facts).map(\.level) == Array(repeating: .ok, count: Check.all.count))
    }

    @Test(arguments: Finding.Word.allCases.map(\.rawValue))
    func `what is wrong is found by its word, and nothing else but what follows from it`(word: String) throws {
        let change = try #require(Self.wrong[word], "say by which facts \(word) is found")
        var facts = Facts.healthy()
        change(&facts)
        let findings = Check.all.flatMap { $0.findings(facts) }
        let finding = try #require(findings.first { $0.word == word }, "\(findings)")
        #expect(finding.command?.isEmpty == false && finding.level != .ok)
        #expect(findings.count == 1, "\(findings)")
    }

    @Test func `no word stands twice, none is left over, and the manual tells of each`() throws {
        let words = Finding.Word.allCases.map(\.rawValue)
        let root = "\(#filePath)".split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
        let manual = try #require(FilePlace.text(of: root + "/docs/tools.md"))
        let told = Set(manual.matches(of: /`([a-z]+(?:-[a-z]+)+)`/).map { String($0.1) })
        #expect(Set(words).subtracting(told) == [])
        // The control.
        #expect(!told.contains("store-is-lost"))
        #expect(Set(words).count == words.count)
        #expect(Set(words) == Set(Self.wrong.keys))
        let names = Check.all.map(\.name)
        #expect(Set(names).count == names.count && Set(names).isDisjoint(with: words))
    }

    @Test func `what explains that the broker does not start is told in its place`() {
        var facts = Facts.healthy()
        facts.broker = BrokerFacts(startFailure: "it ended")
        facts.store.holder = nil
        facts.configuration.take("[Limits]\nwatchers=no\n")
        #expect(Check.all.flatMap { $0.findings(facts) }.map(\.word) == ["configuration-wrong"])
    }

    @Test func `limits are told from nine tenths on, and are a problem where they are reached`() {
        var facts = Facts.healthy()
        facts.limits = [LimitFacts(name: "items-per-source", source: "", use: 95, most: 100)]
        let finding = Check.limits.findings(facts).first
        #expect(finding?.sentence == "95 of 100 items-per-source of writers without a name are in use")
        #expect(finding?.command?.contains("items-per-source=200") == true && finding?.level == .note)
        facts.limits[0].use = 100
        #expect(Check.limits.findings(facts).first?.level == .problem)
        // What cannot be doubled is made room in.
        facts.limits = [LimitFacts(name: "pasteboards", source: nil, use: 9_999_999, most: 10_000_000)]
        #expect(Check.limits.findings(facts).first?.command == "ipc-client prune --history")
    }

    @Test func `defaults of schemes that nobody claims are told where all entries are seen`() {
        var facts = Facts.healthy()
        facts.desktop.associations = [AssociationFacts(type: "x-scheme-handler/a", entries: ["gone.desktop"])]
        #expect(Check.desktopDefaults.findings(facts) == [])
        facts.variables["XDG_DATA_DIRS"] = "/usr/share"
        #expect(Check.desktopDefaults.findings(facts).map(\.level) == [.note])
    }

    @Test func `what belongs to root is mended by sudo`() {
        var facts = Facts.healthy()
        facts.services[1].program = FileFacts(path: "/usr/bin/well")
        facts.services[1].isWritable = false
        let command = Check.servicePrograms.findings(facts).first?.command
        #expect(command?.hasPrefix("sudo rm -- /usr/share/dbus-1/services/org.example.Well.service && ") == true)
        facts.services[1].isWritable = true
        #expect(Check.servicePrograms.findings(facts).first?.command?.hasPrefix("rm -- ") == true)
    }
}

extension Facts {
    /// One desktop entry more, which the cache knows.
    mutating func add(_ entry: EntryFacts) {
        desktop.entries.append(entry)
        desktop.ids.insert(entry.id)
        for scheme in entry.schemes { desktop.caches[0].entries[scheme, default: []].append(entry.id) }
    }
}
