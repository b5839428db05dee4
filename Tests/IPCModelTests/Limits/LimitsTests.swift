import IPCModel
import Testing

@Suite("Limits")
struct LimitsTests {
    private static let contract: [(name: String, number: UInt64)] = [
        ("inline-message-bytes", 16 * 1_024 * 1_024), ("inline-value-bytes", 64 * 1_024),
        ("descriptors-per-message", 16), ("url-bytes", 1_024 * 1_024), ("annotation-bytes", 16 * 1_024),
        ("pasteboard-name-bytes", 255), ("history-most", 100), ("request-timeout-milliseconds", 20_000),
        ("activation-milliseconds", 15_000), ("time-to-live-milliseconds", 7 * 24 * 3_600 * 1_000),
        ("time-to-live-most-milliseconds", 30 * 24 * 3_600 * 1_000), ("ended-requests-kept", 10_000),
        ("ended-requests-kept-seconds", 24 * 3_600), ("reply-kept-bytes", 64 * 1_024),
        ("operation-kept-seconds", 10 * 60), ("loop-depth", 8), ("attempts", 3), ("page-rows", 1_000),
        ("introspected-pasteboards", 1_000), ("property-signals-per-second", 50), ("activation-starts", 5),
    ]

    @Test("The defaults match the contract", arguments: contract)
    func numbers(name: String, number: UInt64) {
        #expect(Limits().dictionary[name] == number)
    }

    @Test("Every limit has one row with a lowercase, hyphenated name and a range with its default")
    func rows() {
        let limits = Limits()
        #expect(Limits.all.count == Mirror(reflecting: limits).children.count)
        #expect(Set(Limits.all.map(\.keyPath)).count == Limits.all.count)
        #expect(limits.dictionary.count == Limits.all.count)
        for row in Limits.all {
            #expect(row.name.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "-") }, "\(row.name)")
            #expect(row.range.contains(limits[keyPath: row.keyPath]), "\(row.name)")
            #expect(!row.remedy.isEmpty && row.remedy.last != ".", "\(row.name)")
        }
    }

    @Test("A limit can be set to the bounds of its range, but not beyond", arguments: Limits.all.map(\.name))
    func setting(name: String) throws {
        let row = try #require(Limits.row(named: name))
        for value in [row.range.lowerBound, row.range.upperBound] {
            var limits = Limits()
            try limits.set(name, value)
            #expect(limits.dictionary[name] == value)
            #expect(limits.dictionary.filter { $0.key != name } == Limits().dictionary.filter { $0.key != name })
        }
        let (low, high) = (row.range.lowerBound, row.range.upperBound)
        let rule = low == high ? "is fixed at \(low)" : "must be from \(low) to \(high)"
        let outside = [row.range.upperBound + 1] + (row.range.lowerBound == 0 ? [] : [row.range.lowerBound - 1])
        for value in outside {
            var limits = Limits()
            let error = #expect(throws: IPCError.self) { try limits.set(name, value) }
            #expect(error?.message == "the limit “\(name)” cannot be \(value); it \(rule)")
            #expect(limits == Limits())
            if let error { expectSentence(error) }
        }
    }

    @Test("A limit that a specification fixes cannot be changed")
    func fixed() {
        var limits = Limits()
        let error = #expect(throws: IPCError.self) { try limits.set("pasteboard-name-bytes", 256) }
        #expect(error?.description == "the limit “pasteboard-name-bytes” cannot be 256; it is fixed at 255")
    }

    @Test("An unknown limit is rejected, and the closest name is suggested")
    func unknown() {
        var limits = Limits()
        let error = #expect(throws: IPCError.self) { try limits.set("zz", 1) }
        let end = " ipc-broker.conf(5) and the method GetLimits list all"
        #expect(error?.description == "there is no limit “zz”;" + end)
        let near = #expect(throws: IPCError.self) { try limits.set("watchrs", 1) }
        #expect(near?.description == "there is no limit “watchrs”, did you mean “watchers”?" + end)
        #expect(error?.ipcError.code == .invalidArguments)
    }

    private static let checks: [(use: UInt64, request: UInt64, fits: Bool)] = [
        (0, 0, true), (0, 99, true), (0, 100, true), (0, 101, false), (99, 1, true), (99, 2, false), (100, 0, true),
        (100, 1, false), (101, 0, false), (.max, 1, false), (1, .max, false), (.max, .max, false), (0, .max, false),
    ]

    @Test("A limit is exact at limit − 1, limit and limit + 1, and does not overflow", arguments: checks)
    func checking(use: UInt64, request: UInt64, fits: Bool) {
        let limits = Limits()
        let expected = LimitExceeded(limit: "history-most", use: use, request: request, allowed: 100)
        if fits {
            #expect(throws: Never.self) { try limits.check(\.historyMost, use: use, request: request) }
        } else {
            #expect(throws: expected) { try limits.check(\.historyMost, use: use, request: request) }
            expectSentence(expected)
        }
    }

    @Test("The message names the limit, the usage, the request, and what to do")
    func message() {
        let inline = LimitExceeded(limit: "inline-message-bytes", use: 0, request: 17_000_000, allowed: 16_777_216)
        #expect(
            inline.ipcError
                == IPCError(
                    .limitExceeded,
                    "the request is too large: 16.2 MiB exceeds the limit of 16 MiB (“inline-message-bytes”); "
                        + "pass a file descriptor, or request one with “fd”"))
        let boards = LimitExceeded(limit: "pasteboards", use: 99_999, request: 2, allowed: 100_000)
        #expect(
            boards.description
                == "the limit “pasteboards” is reached: 99999 in use, 2 more requested, 100000 allowed; "
                + "remove pasteboards that are not needed")
    }

    private static let refusals: [(LimitExceeded, start: String, exit: ExitCode)] = [
        (
            LimitExceeded(limit: "value-bytes", use: 0, request: 5 << 30, allowed: Limits().valueBytes),
            "the request is too large: 5.0 GiB exceeds the limit of 4 GiB (“value-bytes”); ", .dataError
        ),
        // The two sizes would look equal if they were rounded.
        (
            LimitExceeded(limit: "value-bytes", use: 0, request: 4_294_971_393, allowed: Limits().valueBytes),
            "the request is too large: 4294971393 B exceeds the limit of 4294971392 B (“value-bytes”); ", .dataError
        ),
        (
            LimitExceeded(limit: "items-per-version", use: 0, request: 20_000, allowed: 16_384),
            "the request is too large: 20000 exceeds the limit of 16384 (“items-per-version”); ", .dataError
        ),
        // Waiting does not help, because a version never loses items.
        (
            LimitExceeded(limit: "items-per-version", use: 16_000, request: 400, allowed: 16_384),
            "the request is too large: 16400 exceeds the limit of 16384 (“items-per-version”); ", .dataError
        ),
        // The limit allows no promises at all, so even one never fits.
        (
            LimitExceeded(limit: "promises-per-version", use: 0, request: 1, allowed: 0),
            "the request is too large: 1 exceeds the limit of 0 (“promises-per-version”); ", .dataError
        ),
        (
            LimitExceeded(limit: "stored-bytes", use: 7, request: 200, allowed: 100),
            "the request is too large: 200 B exceeds the limit of 100 B (“stored-bytes”); ", .dataError
        ),
        // Negative control: here, waiting may help, because space can become free.
        (
            LimitExceeded(limit: "stored-bytes", use: 90, request: 20, allowed: 100),
            "the limit “stored-bytes” is reached: 90 in use, 20 more requested, 100 allowed; ", .tryAgain
        ),
        (
            LimitExceeded(limit: "desktop-questions-waiting", use: 0, request: 1, allowed: 0),
            "the limit “desktop-questions-waiting” is reached: 1 requested, 0 allowed", .tryAgain
        ),
        (
            LimitExceeded(limit: "waiting-bytes", use: 1, request: 30, allowed: 25, isShare: true),
            "the limit “waiting-bytes” is reached: 1 in use, 30 more requested, 25 allowed; ", .tryAgain
        ),
    ]

    @Test("Only a request that can never succeed is invalid input", arguments: refusals)
    func never(refusal: LimitExceeded, start: String, exit: ExitCode) {
        let error = refusal.ipcError
        #expect(error.message.hasPrefix(start), "\(error)")
        #expect(error.code == .limitExceeded && error.exit == exit)
    }

    @Test("A request that never fits is not advised to wait or to make room", arguments: Limits.all.map(\.name))
    func helpfulAdvice(name: String) throws {
        let row = try #require(Limits.row(named: name))
        let message = LimitExceeded(limit: name, use: 0, request: 11, allowed: 10).ipcError.message
        #expect(message.hasPrefix("the request is too large: ") && message.hasSuffix("; " + row.remedyIfTooLarge))
        for word in ["later", "wait for", "first", "finish", "close", "clear", "remove", "unregister", "forget"] {
            #expect(!row.remedyIfTooLarge.contains(word), "\(message)")
        }
        // Negative control: for a request that may fit later, the message gives the advice to wait or to make room.
        let reached = LimitExceeded(limit: name, use: 6, request: 5, allowed: 10, isShare: true).ipcError.message
        #expect(reached.contains(" is reached: ") && reached.hasSuffix("; " + row.remedy))
    }

    @Test("Advice to wait or to make room has a counterpart for a request that never fits")
    func counterparts() {
        let sentences = ["stored-bytes", "pending-bytes-per-handler", "memory-bytes", "value-bytes"].map {
            LimitExceeded(limit: $0, use: 0, request: 2_048, allowed: 1_024).ipcError.message
        }
        let start = "the request is too large: 2.0 KiB exceeds the limit of 1 KiB"
        #expect(
            sentences == [
                "\(start) (“stored-bytes”); make it smaller, or raise the limit in ipc-broker.conf",
                "\(start) (“pending-bytes-per-handler”); make it smaller, or raise the limit in ipc-broker.conf",
                "\(start) (“memory-bytes”); make it smaller, or make the pasteboard persistent",
                "\(start) (“value-bytes”); split the value, or pass its path",
            ])
    }

    @Test("A share of a limit may become free later")
    func share() throws {
        var limits = Limits()
        limits.waitingBytes = 100
        let part = #expect(throws: LimitExceeded.self) {
            try limits.checkShared(\.waitingBytes, use: 10, ofPayer: 10, request: 30)
        }
        let rest = #expect(throws: LimitExceeded.self) {
            try limits.checkShared(\.waitingBytes, use: 40, ofPayer: 0, request: 60)
        }
        // Only small requests may use the last quarter of the limit, so a large one that needs part of it never fits.
        let mostOfAll = #expect(throws: LimitExceeded.self) {
            try limits.checkShared(\.waitingBytes, use: 0, ofPayer: 0, request: 76)
        }
        let whole = #expect(throws: LimitExceeded.self) {
            try limits.checkShared(\.waitingBytes, use: 0, ofPayer: 0, request: 101)
        }
        #expect(part?.ipcError.exit == .tryAgain && rest?.ipcError.exit == .tryAgain)
        #expect(mostOfAll?.ipcError.exit == .dataError && whole?.ipcError.exit == .dataError)
    }
}
