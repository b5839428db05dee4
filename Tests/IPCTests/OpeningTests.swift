import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

@DBusActor
struct OpeningTests {
    @Test func theOptionsAreSentAndTheResultIsReturned() async throws {
        let pair = try await Pair(id: "demo.IPCClient")
        pair.broker.open = { _, _ in
            var result = OpenURLResult()
            (result.id, result.outcome, result.application) = ("0123456789abcdef", "declined", "demo.IPCServer")
            (result.changeCount, result.attempts) = (42, 1)
            result.items = [.string("no, thanks")]
            (result.errorCode, result.errorMessage) = ("busy", "another time")
            return result
        }
        var options = OpenOptions()
        (options.application, options.timeout) = ("demo.Other", .milliseconds(1500))
        (options.annotation, options.pasteboard.ifChangeCount, options.isPersistent) = (.uint64(.max), 41, true)
        let board = Pasteboard(named: "demo.IPCClient", of: pair.application)
        let url = "IPCServer.demo: raw spaces, 100%, 日本語"
        let response = try await pair.application.open(url, sending: [.string("hello")], on: board, options: options)

        let (sentURL, sent) = try #require(pair.broker.opened.first)
        #expect(sentURL == url)
        #expect(sent.items == [.string("hello")] && sent.pasteboard == "demo.IPCClient")
        #expect(sent.sourceApplication == "demo.IPCClient" && sent.application == "demo.Other")
        #expect(sent.timeout == 1500 && sent.annotation == .uint64(.max))
        #expect(sent.set?.ifChangeCount == 41 && sent.set?.persistent == true && sent.set?.create == nil)
        #expect(response.outcome == .declined && !response.isHandled && response.id == "0123456789abcdef")
        #expect(response.changeCount == 42 && response.attempts == 1 && response.application == "demo.IPCServer")
        #expect(response.reply == [.string("no, thanks")])
        #expect(response.errorCode == "busy" && response.errorMessage == "another time")
    }

    @Test func anIDIsSentIfTheCallMayBeRepeated() async throws {
        for (resends, given, isSent) in [(true, nil, true), (false, nil, false), (false, "0123456789abcdef", true)] {
            let pair = try await Pair(resends: resends)
            var options = OpenOptions()
            options.id = try given.map(RequestID.init(_:))
            _ = try await pair.application.open("x:", options: options)
            #expect((pair.broker.opened[0].options.id != nil) == isSent)
            #expect(given == nil || pair.broker.opened[0].options.id == given)
            #expect(pair.broker.opened[0].options.set == nil)
        }
    }

    @Test func anInvalidURLIsNotSent() async throws {
        let pair = try await Pair()
        let tooLong = "x:" + String(repeating: "a", count: 1 << 20)
        for url in ["", "no scheme", "1x:", "x:\u{0}", "x:\n", "//x", tooLong] {
            let opening = await #expect(throws: IPCError.self) { _ = try await pair.application.open(url) }
            let asking = await #expect(throws: IPCError.self) { _ = try await pair.application.canOpenURL(url) }
            let resolving = await #expect(throws: IPCError.self) { _ = try await pair.application.resolve(url) }
            for error in [opening, asking, resolving] { #expect(error?.code == .invalidURL, "\(url.prefix(10))") }
        }
        #expect(pair.broker.opened.isEmpty)
    }

    @Test func errorsKeepTheirCodeAndSentence() async throws {
        let pair = try await Pair()
        for code in IPCError.Code.allCases {
            pair.broker.open = { _, _ in throw IPCError(code, "because of 7") }
            await #expect(throws: IPCError(code, "because of 7")) { _ = try await pair.application.open("x:") }
        }
        #expect(try await pair.application.canOpenURL("known:"))
        #expect(try await false == pair.application.canOpenURL("unknown:"))
    }

    @Test func anUnknownOutcomeIsAnError() async throws {
        let pair = try await Pair()
        pair.broker.open = { _, _ in OpenURLResult() }
        await #expect(throws: IPCError.self) { _ = try await pair.application.open("x:") }
    }

    @Test func cancellingTheTaskEndsTheWait() async throws {
        let pair = try await Pair()
        let asked = Collected<Void>()
        let gate = Gate()
        pair.broker.open = { _, _ in
            asked.add(())
            await gate.wait()
            return OpenURLResult()
        }
        let task = Task { _ = try await pair.application.open("x:") }
        _ = try await asked.wait(for: 1)
        task.cancel()
        await #expect(throws: IPCError.self) { try await task.value }
        gate.end()
    }

    @Test func aWriteNamesItsSourceAndMayBeRepeated() async throws {
        let pair = try await Pair(id: "demo.IPCClient")
        let board = pair.application.generalPasteboard
        #expect(try await board.setStrings(["a", "b"]) == 1)
        let (items, options) = try #require(pair.broker.written.first)
        #expect(items == [.string("a"), .string("b")])
        #expect(options.sourceApplication == "demo.IPCClient" && options.id != nil && options.ifChangeCount == nil)
        try await board.setItems([], ifChangeCount: 5, id: "0123456789abcdef")
        #expect(pair.broker.written[1].options.ifChangeCount == 5)
        #expect(pair.broker.written[1].options.id == "0123456789abcdef")
    }
}

/// An operation that does not complete until the test completes it.
@DBusActor
final class Gate {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    func wait() async { await withCheckedContinuation { waiting.append($0) } }
    func end() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
