import IPCModel
import Testing

@Suite("URLRouter")
struct URLRouterTests {
    private let first: ApplicationID
    private let second: ApplicationID
    private let third: ApplicationID
    private let url: URLText
    private var registry = SchemeRegistry()

    init() throws {
        first = ApplicationID("demo.First")
        second = ApplicationID("demo.Second")
        third = ApplicationID("demo.Third")
        url = try URLText("IPCSERVER.demo://x?key=value")
    }

    private func resolve(
        pinned: ApplicationID? = nil, running: Set<ApplicationID> = [], activatable: Set<ApplicationID> = [],
        candidatesMost: Int = 100
    ) -> Resolution {
        URLRouter.resolve(
            url, pinned: pinned, in: registry, candidatesMost: candidatesMost, running: running.contains,
            activatable: activatable.contains)
    }

    private mutating func claim(_ application: ApplicationID, _ kind: SchemeClaim.Kind) throws {
        _ = try registry.register(application, [URLScheme("IPCServer.demo")], kind: kind)
    }

    @Test("An unclaimed scheme is NoHandler, queued or not")
    func noHandler() throws {
        let resolution = resolve(running: [first])
        #expect(resolution.application == nil && resolution.reason == .noHandler)
        #expect(!resolution.queueable && !resolution.canOpen && resolution.candidates.isEmpty)
        for queued in [false, true] {
            let error = #expect(throws: IPCError.noHandler(url.scheme)) {
                try resolution.acceptance(queued: queued)
            }
            #expect(error?.ipcError.code == .noHandler)
            #expect(error?.description.contains("“IPCSERVER.demo”") == true)
            if let error { expectSentence(error) }
        }
    }

    @Test(
        "The oldest claim of its kind is the target, and the reason says so",
        arguments: [
            (SchemeClaim.Kind.live, "oldest-live"), (.persistent, "oldest-persistent"),
            (.installed, "oldest-installed"),
        ])
    mutating func oldest(kind: SchemeClaim.Kind, word: String) throws {
        try claim(first, kind)
        try claim(second, kind)
        let resolution = resolve(running: [first, second])
        #expect(resolution.application == first && resolution.reason.rawValue == word)
        #expect(resolution.candidates.map(\.application) == [first, second])
        #expect(resolution.candidates.map(\.reason.rawValue) == [word, "newer"])
    }

    @Test("A persistent claim takes precedence over a live one")
    mutating func onlyLive() throws {
        try claim(first, .live)
        try claim(second, .persistent)
        try claim(third, .installed)
        let resolution = resolve()
        #expect(resolution.candidates.map(\.application) == [second, third, first])
        #expect(resolution.candidates.map(\.reason) == [.oldestPersistent, .newer, .onlyLive])
    }

    @Test("The user's choice is the target, and other applications learn the reason")
    mutating func userDefault() throws {
        try claim(first, .persistent)
        try claim(second, .live)
        _ = try registry.setDefault(url.scheme, second)
        let resolution = resolve(running: [second])
        #expect(resolution.application == second && resolution.reason.rawValue == "default")
        #expect(resolution.candidates.map(\.application) == [second, first])
        #expect(resolution.candidates.map(\.reason.rawValue) == ["default", "another-default"])
        #expect(resolution.absentDefault == nil)
    }

    @Test("A choice that is absent is named, and the rule continues without it")
    mutating func absentDefault() throws {
        try claim(first, .live)
        _ = try registry.setDefault(url.scheme, third)
        let resolution = resolve(running: [first])
        #expect(resolution.application == first && resolution.reason == .oldestLive)
        #expect(resolution.absentDefault == third)
    }

    @Test("A pinned application is the target, with or without a claim")
    mutating func pinned() throws {
        let without = resolve(pinned: third, running: [third])
        #expect(without.application == third && without.reason == .pinned && without.canOpen)
        try claim(first, .persistent)
        try claim(second, .live)
        let with = resolve(pinned: second, activatable: [second])
        #expect(with.application == second && with.canOpen)
        #expect(with.candidates.map(\.application) == [second, first])
        #expect(with.candidates.map(\.reason) == [.pinned, .anotherPinned])
    }

    private static let acceptanceRows: [(running: Bool, activatable: Bool, queued: Bool, accepted: Bool)] = [
        (true, false, false, true), (false, true, false, true), (true, true, false, true), (false, false, false, false),
        (true, false, true, true), (false, true, true, true), (true, true, true, true), (false, false, true, true),
    ]

    @Test("A sender that waits needs a target that runs or can be started", arguments: acceptanceRows)
    mutating func acceptance(running: Bool, activatable: Bool, queued: Bool, accepted: Bool) throws {
        try claim(first, .live)
        for pinned in [nil, second] {
            let target = pinned ?? first
            let resolution = resolve(
                pinned: pinned, running: running ? [target] : [], activatable: activatable ? [target] : [])
            #expect(resolution.running == running && resolution.activatable == activatable && resolution.queueable)
            #expect(resolution.canOpen == (running || activatable))
            if accepted {
                #expect(throws: Never.self) { try resolution.acceptance(queued: queued) }
            } else {
                let error = #expect(throws: IPCError.handlerUnavailable(target)) {
                    try resolution.acceptance(queued: queued)
                }
                #expect(error?.ipcError.code == .handlerUnavailable)
                if let error { expectSentence(error) }
            }
        }
    }

    @Test("Another running candidate does not replace the handler")
    mutating func noSubstitute() throws {
        try claim(first, .persistent)
        try claim(second, .live)
        let resolution = resolve(running: [second])
        #expect(resolution.application == first && !resolution.canOpen)
        #expect(resolution.candidates.map(\.running) == [false, true])
    }

    @Test("Candidates are listed up to the limit, and without one, only the target is examined")
    mutating func candidatesMost() throws {
        for number in 0..<20 { try claim(ApplicationID("demo.App\(number)"), .live) }
        #expect(resolve(candidatesMost: 5).candidates.count == 5)
        var asked: [ApplicationID] = []
        let resolution = URLRouter.resolve(
            url, in: registry,
            running: { application in
                asked.append(application)
                return true
            }, activatable: { _ in false })
        #expect(asked == [ApplicationID("demo.App0")] && resolution.candidates.isEmpty)
    }

    @Test("The wire names are lowercase letters and hyphens")
    func words() {
        for reason in Resolution.Reason.allCases {
            #expect(reason.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
        }
        #expect(SchemeClaim.Kind.allCases.map(\.rawValue) == ["live", "persistent", "installed"])
    }
}
