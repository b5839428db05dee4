import IPCDesktop
import IPCModel
import IPCTesting
import Testing

@Suite struct DesktopRegistrationTests {
    private static let list = ".config/mimeapps.list"
    private static let applications = ".local/share/applications"
    private static let foreignList =
        "# mine\n[Added Associations]\nx-scheme-handler/other=theirs.desktop;\n\n[Default Applications]\ntext/html=theirs.desktop\n"
        + "x-scheme-handler/stale=gone.desktop"

    /// Makes a home directory that already contains files of other programs.
    private func furnished() throws -> DesktopFolder {
        let folder = try DesktopFolder()
        try folder.put(Self.foreignList, at: Self.list)
        try folder.put(
            "[Desktop Entry]\nType=Application\nName=t\nExec=t %u\nMimeType=x-scheme-handler/taken;\n",
            at: "\(Self.applications)/theirs.desktop")
        try folder.put(
            "[MIME Cache]\nx-scheme-handler/taken=theirs.desktop;\nstale/type=long.gone;\n",
            at: "\(Self.applications)/mimeinfo.cache")
        return folder
    }

    @Test func `an empty home is empty again`() throws {
        let folder = try DesktopFolder()
        let result = try folder.register("demo.One", ["One.demo"], command: "/bin/sh -c 'x'")
        #expect(result.schemes.map(\.spelling) == ["One.demo"] && result.isActivatable)
        #expect(try folder.text(".local/share/dbus-1/services/demo.One.service").contains("Exec=/bin/sh -c x\n"))
        #expect(
            try folder.text(Self.list)
                == "[Default Applications]\nx-scheme-handler/One.demo=demo.One.desktop;\n"
                + "x-scheme-handler/one.demo=demo.One.desktop;\n")
        #expect(InstalledEntries(folder.directories).handler(of: URLScheme("one.DEMO"))?.application == "demo.One")
        #expect(result.changes.allSatisfy { $0.kind == .made })
        let removed = try folder.unregister("demo.One")
        #expect(removed.changes.map(\.path) == result.changes.map(\.path))
        #expect(folder.contents() == [:])
        #expect(try folder.unregister("demo.One").changes == [])
    }

    @Test func `files of other programs are restored, even outdated ones`() throws {
        let folder = try furnished()
        let before = folder.contents()
        try folder.register("demo.One", ["One.demo", "stale"])
        #expect(folder.contents() != before)
        try folder.unregister("demo.One")
        #expect(folder.contents() == before)
    }

    @Test func `another program keeps its scheme, unless a takeover is requested`() throws {
        let folder = try furnished()
        let left = try folder.register("demo.One", ["taken", "free"])
        #expect(left.elsewhere.map(\.scheme.spelling) == ["taken"] && left.schemes.map(\.spelling) == ["free"])
        let taken = URLScheme("taken")
        #expect(InstalledEntries(folder.directories).handler(of: taken)?.id == "theirs.desktop")
        let asked = try folder.register("demo.One", ["taken"], makesDefault: true)
        #expect(asked.elsewhere.isEmpty && Set(asked.schemes.map(\.spelling)) == ["taken", "free"])
        #expect(InstalledEntries(folder.directories).handler(of: taken)?.id == "demo.One.desktop")
        try folder.unregister("demo.One", ["taken"])
        #expect(InstalledEntries(folder.directories).handler(of: taken)?.id == "theirs.desktop")
        #expect(InstalledEntries(folder.directories).handler(of: URLScheme("free"))?.id == "demo.One.desktop")
    }

    @Test func `a repeated registration writes nothing and loses nothing`() throws {
        let folder = try furnished()
        let before = folder.contents()
        try folder.register("demo.One", ["a", "b"], command: "/bin/sh")
        let once = folder.contents()
        #expect(try folder.register("demo.One", ["a", "b"]).changes == [])
        #expect(folder.contents() == once)
        try folder.register("demo.One", ["c"])
        let journals = JournaledFiles(folder: folder.directory.appending(".local/share/\(DesktopRegistration.folder)"))
        #expect(try journals.facts(of: "demo.One")?["Schemes"] == "a;b;c;")
        try folder.unregister("demo.One", ["c", "unknown"])
        #expect(folder.contents() == once)
        try folder.unregister("demo.One", ["A", "B"])
        #expect(folder.contents() == before)
    }

    @Test(arguments: [["demo.One"], ["demo.One", "demo.Two", "demo.Three"]])
    func `registrations and removals at the same time lose nothing`(applications: [String]) async throws {
        let folder = try furnished()
        let before = folder.contents()
        let schemes = (1...12).map { (application: applications[$0 % applications.count], scheme: "scheme\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (application, scheme) in schemes {
                group.addTask { try folder.register(application, [scheme], command: "/bin/sh") }
            }
            try await group.waitForAll()
        }
        for (application, scheme) in schemes {
            let handler = try InstalledEntries(folder.directories).handler(of: URLScheme(scheme))
            #expect(handler?.application == application)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (application, scheme) in schemes { group.addTask { try folder.unregister(application, [scheme]) } }
            try await group.waitForAll()
        }
        #expect(folder.contents() == before)
    }

    /// `unregister` first reads the journal without the lock, and does nothing for an application without a journal.
    @Test func `a registration stays visible while its files are written again`() throws {
        let folder = try furnished()
        try folder.register("demo.One", ["one"])
        let journals = JournaledFiles(folder: folder.directory.appending(".local/share/\(DesktopRegistration.folder)"))
        var seen: [String: String]?
        _ = try journals.locked { (lock) throws(FileFailure) in
            try journals.write(for: "demo.One", facts: ["Schemes": "two;"], under: lock) { () throws(FileFailure) in
                seen = try journals.facts(of: "demo.One")
                return []
            }
        }
        #expect(seen?["Schemes"] == "one;")
        #expect(try journals.facts(of: "demo.One")?["Schemes"] == "two;")
    }

    @Test func `an application's own menu entry stays, next to ours`() throws {
        let folder = try furnished()
        try folder.put(
            "[Desktop Entry]\nType=Application\nName=One\nExec=one\n", at: "usr/applications/demo.One.desktop")
        let before = folder.contents()
        #expect(try folder.register("demo.One", ["one"]).entry?.hasSuffix("/demo.One.links.desktop") == true)
        #expect(try folder.register("demo.One", ["two"]).entry?.hasSuffix("/demo.One.links.desktop") == true)
        try folder.unregister("demo.One")
        #expect(folder.contents() == before)
    }

    /// Whatever the order of registrations and removals, the last removal restores the state before the first
    /// registration, and changes by other programs in the meantime survive.
    @Test(arguments: 0..<40, [false, true])
    func `the last removal restores the home after any order of registrations`(_ seed: Int, isDisturbed: Bool) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let folder = try seed.isMultiple(of: 2) ? furnished() : DesktopFolder()
        let before = folder.contents()
        let applications = ["demo.One", "demo.Two", "demo.Three"]
        let schemes = ["a", "B.b", "c", "taken", "stale"]
        var lines: [String] = []
        for step in 0..<12 {
            let application = applications.randomElement(using: &random)!
            let chosen = schemes.filter { _ in Bool.random(using: &random) } + ["own.\(application)"]
            if Bool.random(using: &random) {
                try folder.register(
                    application, chosen, command: Bool.random(using: &random) ? "/bin/sh -c \(step)" : nil,
                    makesDefault: Bool.random(using: &random))
            } else {
                try folder.unregister(application, Bool.random(using: &random) ? nil : chosen)
            }
            if isDisturbed, step.isMultiple(of: 3) {
                lines.append("foreign/\(step)=f.desktop;")
                let text = (try? folder.text(Self.list)) ?? ""
                try folder.put(
                    text + (text.isEmpty || text.hasSuffix("\n") ? "" : "\n") + lines.last! + "\n", at: Self.list)
            }
        }
        for application in applications.shuffled(using: &random) { try folder.unregister(application) }
        let after = folder.contents()
        guard isDisturbed else { return #expect(after == before) }
        let rest = try folder.text(Self.list)
        #expect(lines.allSatisfy(rest.contains))
        #expect(!rest.contains("demo."))
        let foreign = rest.split(separator: "\n").filter { !lines.contains(String($0)) }
        #expect(foreign.count <= Self.foreignList.split(separator: "\n").count)
        let others = after.filter { $0.key != Self.list && $0.key != ".config/" }
        #expect(others == before.filter { $0.key != Self.list && $0.key != ".config/" })
    }

    /// Negative control: a desktop entry that another program has changed is not deleted.
    @Test func `a modified file stays and is reported`() throws {
        let folder = try DesktopFolder()
        try folder.register("demo.One", ["one"])
        let path = "\(Self.applications)/demo.One.desktop"
        try folder.put(try folder.text(path) + "Icon=mine\n", at: path)
        let result = try folder.unregister("demo.One")
        #expect(result.changes.contains { $0.kind == .kept && $0.path.hasSuffix("/demo.One.desktop") })
        #expect(try folder.text(path).hasSuffix("Icon=mine\n"))
        #expect(FileContents.names(in: folder.directory.appending(Self.applications)) == ["demo.One.desktop"])
        // Another removal reports the same file again.
        #expect(try folder.unregister("demo.One").changes == result.changes.filter { $0.kind == .kept })
    }

    /// A second registration overwrites changes to our files. Removing the registration does not restore those changes.
    @Test func `a modified file that is written again is removed with the registration`() throws {
        let folder = try furnished()
        let service = ".local/share/dbus-1/services/demo.One.service"
        try folder.put("mine\n", at: service)
        let before = folder.contents()
        try folder.register("demo.One", ["one"], command: "/bin/sh")
        let paths = ["\(Self.applications)/demo.One.desktop", service]
        let written = try paths.map { try folder.text($0) }
        for path in paths { try folder.put(try folder.text(path) + "X-Mine=1\n", at: path) }
        let result = try folder.register("demo.One", ["one", "two"])
        #expect(Set(result.changes.map(\.kind)) == [.changed])
        #expect(try folder.text(service) == written[1] && !(try folder.text(paths[0]).contains("X-Mine")))
        try folder.unregister("demo.One")
        #expect(folder.contents() == before)
    }

    @Test func `a file that cannot be written leaves nothing behind`() throws {
        let folder = try DesktopFolder()
        try folder.put("", at: ".local/share/dbus-1")
        let before = folder.contents()
        #expect(throws: IPCError.self) { try folder.register("demo.One", ["one"], command: "/bin/sh") }
        #expect(folder.contents() == before)
    }

    @Test func `a session claim is only in the runtime directory`() throws {
        let folder = try furnished()
        try folder.directory.makeDirectory("run")
        let before = folder.contents()
        let transient = try TransientRegistration(ApplicationID("demo.One"), in: folder.directories)
        let changes = try transient.register(
            [URLScheme("one")], command: CommandWords("/bin/sh"), takesDescriptors: true)
        #expect(changes.count == 2 && changes.allSatisfy { $0.path.hasPrefix(folder.directory.appending("run/")) })
        #expect(try folder.text("run/swift-ipc/handlers/demo.One.handler").contains("Schemes=one;\nDescriptors=true\n"))
        _ = try transient.register([URLScheme("two")], command: nil, takesDescriptors: false)
        #expect(
            try folder.text("run/swift-ipc/handlers/demo.One.handler").contains("Schemes=one;two;\nDescriptors=true\n"))
        _ = try transient.unregister([URLScheme("one")])
        #expect(try folder.text("run/dbus-1/services/demo.One.service").contains("Exec=/bin/sh\n"))
        _ = try transient.unregister(nil)
        #expect(folder.contents() == before)
    }
}
