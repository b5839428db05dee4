import Glibc
import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// The view of a sandboxed caller (I19). In each test, the control is the same program in the same kind of root
/// directory, but without the file that identifies a Flatpak.
@Suite(.privateBus, .enabled(if: SandboxPeer.isPossible, "only root may change its root directory"))
struct SandboxTests {
    private static let denied = "org.swiftipc.Error.AccessDenied"
    private static let id = "org.example.App"

    private static func text(_ text: String) throws -> [PasteboardItem] {
        [try PasteboardItem([Representation(type: try ContentType("text/plain"), value: .text(text))])]
    }

    /// A broker with boards of several programs, written by an unsandboxed program.
    @DBusActor
    private func start() async throws -> BrokerClient {
        _ = try await BrokerProcess.start()
        let client = try await BrokerClient()
        for board in [Self.id, "\(Self.id).drafts", "\(Self.id)lication", "other"] {
            try await client.create(board)
            try await client.set(try Self.text("of \(board)"), on: board)
        }
        return client
    }

    @Test func `I19: a sandboxed caller uses only the pasteboards of its id`() async throws {
        let client = try await start()
        let boxed = try await SandboxPeer.start(flatpak: Self.id)
        let free = try await SandboxPeer.start(info: nil)
        for name in [Self.id, "\(Self.id).drafts"] {
            #expect(try await boxed.ask("read('\(name)')") == "[['of \(name)']]")
            #expect(try await boxed.ask("write('\(name)', 'mine')") == "True")
        }
        for name in ["other", "\(Self.id)lication", "general", "none"] {
            for use in [
                "read('\(name)')", "write('\(name)', 'mine')", "board('\(name)').Clear(none)", "get('\(name)', 'Name')",
                "create('\(name)')", "boards.GetPasteboard('\(name)', none)",
                "boards.RemovePasteboard('\(name)', none)",
                "watch(['\(name)'], 0)", "simple.GetText('\(name)')", "simple.SetText('\(name)', 'mine')",
            ] {
                #expect(try await boxed.ask(use) == Self.denied, "\(use)")
            }
        }
        // Nothing was written.
        #expect(try await client.get("other").items == Self.text("of other"))
        #expect(try await free.ask("read('other')") == "[['of other']]")
        #expect(try await free.ask("write('general', 'mine')") == "True")
        #expect(try await free.ask("boards.GetPasteboard('none', none)") == "org.swiftipc.Error.NoSuchPasteboard")
        #expect(try await boxed.ask("create('\(Self.id).new')").contains("org_2eexample_2eApp_2enew"))
    }

    @Test(.enabled(if: access("/proc/sys/kernel/ns_last_pid", W_OK) == 0, "the kernel cannot choose a process number"))
    func `I19: a caller gets no right from a process that reuses the number of its own`() async throws {
        let client = try await start()
        let info = "[Application]\nname=\(Self.id)\n"
        // Once a call of another client is answered, the broker has learned of the connection.
        let left = try await SandboxPeer.start(info: info, connected: { _ = try await client.get("other") })
        for use in [
            "read('other')", "write('other', 'mine')", "read('\(Self.id)')",
            "schemes.SetDefault('demo', 'demo.A', none)",
        ] {
            #expect(try await left.ask(use) == Self.denied, "\(use)")
        }
        #expect(try await client.get("other").items == Self.text("of other"))
        // The control: the number of a process that still has its connection.
        let boxed = try await SandboxPeer.start(info: info)
        #expect(try await boxed.ask("read('\(Self.id)')") == "[['of \(Self.id)']]")
    }

    @Test func `I19: lists, watches and introspection omit foreign pasteboards`() async throws {
        _ = try await start()
        let boxed = try await SandboxPeer.start(flatpak: Self.id)
        let free = try await SandboxPeer.start(info: nil)
        let own = "['\(Self.id)', '\(Self.id).drafts']"
        #expect(try await boxed.ask("listed()") == own)
        #expect(try await boxed.ask("managed()") == own)
        #expect(try await boxed.ask("watch([], 0)") == own)
        #expect(try await boxed.ask("children()") == "['org_2eexample_2eApp', 'org_2eexample_2eApp_2edrafts']")
        let all = ["general", Self.id, "\(Self.id).drafts", "\(Self.id)lication", "other"].map { "'\($0)'" }
        #expect(try await free.ask("listed()") == "[\(all.joined(separator: ", "))]")
        #expect(try await free.ask("len(children())") == "5")
        #expect(try await free.ask("len(managed())") == "5")
        #expect(try await free.ask("'other' in watch([], 0)") == "True")
    }

    @Test func `I19: a watch on all pasteboards does not report a foreign change`() async throws {
        let client = try await start()
        let boxed = try await SandboxPeer.start(flatpak: Self.id)
        let since = try await client.set(try Self.text("before"), on: "other")
        let question = Task { try await boxed.ask("watch([], \(since), 300000)") }
        // Waits until the broker has read the caller's question.
        try await withDeadline("question") {
            while try await !client.call(Broker1.describe, NoOptions()).contains(#""watchers":"1""#) {}
        }
        try await client.set(try Self.text("again"), on: "other")
        try await client.set(try Self.text("now"), on: "\(Self.id).drafts")
        #expect(try await question.value == "['\(Self.id).drafts']")
    }

    @Test func `I19: the source is the sandbox's id, whatever its program claims`() async throws {
        _ = try await start()
        let boxed = try await SandboxPeer.start(flatpak: Self.id)
        let free = try await SandboxPeer.start(info: nil)
        for stated in ["", ", source_application='demo.IPCClient'", ", source_application='\(Self.id)'"] {
            #expect(try await boxed.ask("write('\(Self.id)', 'x'\(stated))") == "True")
            #expect(try await boxed.ask("source('\(Self.id)')") == "'\(Self.id) sandboxed'")
        }
        // A caller that owns its id as a bus name is identified by the bus, which counts for more than the sandbox.
        #expect(try await boxed.ask("int(bus.request_name('\(Self.id)'))") == "1")
        #expect(try await boxed.ask("write('\(Self.id)', 'x', source_application='\(Self.id)')") == "True")
        #expect(try await boxed.ask("source('\(Self.id)')") == "'\(Self.id) owned'")
        #expect(try await free.ask("write('other', 'x', source_application='demo.IPCClient')") == "True")
        #expect(try await free.ask("source('other')") == "'demo.IPCClient claimed'")
    }

    @Test func `I19: a sandboxed caller cannot send a foreign pasteboard or skip change counts`() async throws {
        _ = try await start()
        let boxed = try await SandboxPeer.start(flatpak: Self.id)
        let free = try await SandboxPeer.start(info: nil)
        // Only callers that may use the pasteboard learn that no application handles the scheme.
        for use in ["opened(pasteboard='other')", "opened(pasteboard='other', items=items('x'))"] {
            #expect(try await boxed.ask(use) == Self.denied)
            #expect(try await free.ask(use) == "org.swiftipc.Error.NoHandler")
        }
        #expect(try await boxed.ask("opened(pasteboard='\(Self.id)')") == "org.swiftipc.Error.NoHandler")
        let skip = "int(boards.SkipChangeCounts(dbus.UInt64(1000), none)) >= 1000"
        #expect(try await boxed.ask(skip) == Self.denied)
        #expect(try await free.ask(skip) == "True")
    }

    @Test func `I21: a sandboxed caller cannot make or list the user's choices`() async throws {
        _ = try await start()
        let boxed = try await SandboxPeer.start(flatpak: Self.id)
        let free = try await SandboxPeer.start(info: nil)
        for (use, answer) in [
            ("schemes.SetDefault('demo', 'demo.A', none)", "None"),
            ("schemes.SetPolicy('demo.A', options(default='deny'), none)", "None"),
            (
                "[(str(scheme), str(facts['application'])) for scheme, facts in schemes.ListDefaults(none)]",
                "[('demo', 'demo.A')]"
            ),
            ("[(str(id), str(facts['default'])) for id, facts in schemes.ListPolicies(none)]", "[('demo.A', 'deny')]"),
        ] {
            #expect(try await boxed.ask(use) == Self.denied, "\(use)")
            #expect(try await free.ask(use) == answer, "\(use)")
        }
    }

    @Test func `a sandboxed caller can use the unique pasteboards that it created`() async throws {
        let client = try await start()
        let boxed = try await SandboxPeer.start(flatpak: Self.id)
        let foreign = try await client.call(Pasteboards1.createUniquePasteboard, UniquePasteboardOptions()).0
        let mine = String(
            try await boxed.ask("str(boards.CreateUniquePasteboard(none)[0])").dropFirst().dropLast())
        #expect(mine.hasPrefix("unique-"))
        #expect(try await boxed.ask("write('\(mine)', 'hello')") == "True")
        #expect(try await boxed.ask("read('\(mine)')") == "[['hello']]")
        #expect(try await boxed.ask("'\(mine)' in listed()") == "True")
        #expect(try await boxed.ask("read('\(foreign)')") == Self.denied)
    }

    @Test func `a sandbox without an id sees only what it created`() async throws {
        _ = try await start()
        let hidden = try await SandboxPeer.start(info: "[Runtime]\nname=\(Self.id)\n")
        #expect(try await hidden.ask("listed()") == "[]")
        #expect(try await hidden.ask("read('\(Self.id)')") == Self.denied)
        #expect(try await hidden.ask("write('general', 'x')") == Self.denied)
        let mine = String(
            try await hidden.ask("str(boards.CreateUniquePasteboard(none)[0])").dropFirst().dropLast())
        #expect(try await hidden.ask("write('\(mine)', 'x', source_application='demo.IPCClient')") == "True")
        #expect(try await hidden.ask("source('\(mine)')") == "'demo.IPCClient claimed'")
    }

    @Test func `Describe reports the usage of limits, and hides other callers from a sandboxed one`() async throws {
        _ = try await start()
        let boxed = try await SandboxPeer.start(flatpak: Self.id)
        let free = try await SandboxPeer.start(info: nil)
        #expect(try await free.ask("write('other', '12345', source_application='demo.IPCClient')") == "True")
        #expect(try await boxed.ask("write('\(Self.id)', '1234567')") == "True")
        let usage = "json.loads(broker.Describe(none))['usage']"
        let rows = "[(s['source'], s['bytes']) for s in \(usage)['sources'] if s['source']]"
        #expect(try await free.ask(rows) == "[('\(Self.id)', '7'), ('demo.IPCClient', '5')]")
        #expect(try await boxed.ask(rows) == "[('\(Self.id)', '7')]")
        #expect(try await boxed.ask("\(usage)['total']['pasteboards']") == "'5'")
        #expect(try await free.ask("\(usage)['total']['watchers']") == "'0'")
    }

    @Test func `the broker queries the bus about a caller once, however many calls arrive first`() async throws {
        var settings = BrokerProcess.Settings()
        settings.traced = true
        let broker = try await BrokerProcess.start(settings)
        for _ in 0..<2 {
            let client = try await BrokerClient()
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 { group.addTask { _ = try await client.get("general") } }
                try await group.waitForAll()
            }
            _ = try await client.get("general")
            await client.connection.close()
        }
        try await broker.terminate()
        let asked = try broker.recording().messages.filter {
            $0.direction == .sent && $0.message.kind == .methodCall && $0.message.member == "GetConnectionCredentials"
        }
        #expect(asked.count == 2)
    }
}
