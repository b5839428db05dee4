import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

private let id = "0123456789abcdef"

@DBusActor
struct CallingTests {
    private struct Sum: Codable, Equatable { let sum: UInt64 }

    @Test func aCallGivesTheReply() async throws {
        let pair = try await Pair()
        let value = try PasteboardItem.value(Sum(sum: .max))
        pair.broker.open = { _, _ in result("handled", [.string("text"), value, .data([1, 2])]) }
        let reply = try await pair.application.call("x:")
        #expect(try reply.string == "text" && reply.data(forType: .octetStream, item: 2) == [1, 2])
        #expect(try reply.value(item: 1) == Sum(sum: .max))
        // The reply has text, but no JSON value. This is an error, whereas a missing item gives `nil`.
        let failure = #expect(throws: CallFailure.self) { try reply.value(Sum.self) }
        #expect(failure?.description == "the reply has no application/json; its types are text/plain;charset=utf-8")
        #expect(try reply.value(Sum.self, item: 3) == nil)
        #expect(reply.response?.outcome == .handled)
        pair.broker.open = { _, _ in result("delivered") }
        #expect(try await pair.application.call("x:").items.isEmpty)
    }

    @Test func everyOtherOutcomeIsACallFailure() async throws {
        let pair = try await Pair()
        let ends: [(String, CallFailure.Reason)] = [
            ("declined", .declined), ("cancelled", .cancelled), ("failed", .failed(code: "busy", message: "not now")),
            ("unavailable", .unavailable), ("timed-out", .timedOut), ("expired", .expired),
        ]
        for (word, reason) in ends {
            pair.broker.open = { _, _ in
                var end = result(word)
                if word == "failed" { (end.errorCode, end.errorMessage) = ("busy", "not now") }
                return end
            }
            let failure = await #expect(throws: CallFailure.self) { try await pair.application.call("x:") }
            #expect(failure?.reason == reason && failure?.response?.id.text == id)
            #expect(failure?.code == (word == "failed" ? "busy" : word))
        }
        pair.broker.open = { _, _ in throw IPCError(.noHandler, "nobody") }
        let refused = await #expect(throws: CallFailure.self) { try await pair.application.call("x:") }
        #expect(refused?.reason == .refused(IPCError(.noHandler, "nobody")) && refused?.response == nil)
        #expect(refused?.description == "nobody")
        // The handler failed with neither an error code nor a message.
        pair.broker.open = { _, _ in result("failed") }
        let silent = await #expect(throws: CallFailure.self) { try await pair.application.call("x:") }
        #expect(silent?.reason == .failed(code: "failed", message: ""))
    }

    @Test func anUnreadableReplyIsACallFailure() async throws {
        let pair = try await Pair()
        let bytes: [UInt8] = [0xFF, 0xFE]
        let broken = try PasteboardItem([Representation(type: .utf8PlainText, value: .bytes(bytes))])
        pair.broker.open = { _, _ in result("handled", [broken]) }
        let reply = try await pair.application.call("x:")
        let failures = [
            #expect(throws: CallFailure.self) { try reply.string },
            #expect(throws: CallFailure.self) { try reply.strings },
            #expect(throws: CallFailure.self) { try reply.value(Int.self, type: .utf8PlainText) },
        ]
        for failure in failures {
            #expect(failure?.code == "PayloadInvalid" && failure?.exitCode == 65 && failure?.outcome == nil)
            #expect(failure?.response?.outcome == .handled)
        }
        // The bytes of a reply can be read even if its text cannot.
        #expect(reply.data == bytes)
        pair.broker.open = { _, _ in result("handled") }
        #expect(try await pair.application.call("x:").data == nil)
    }

    @Test func aQueuedCallWaitsForItsOutcome() async throws {
        let pair = try await Pair()
        pair.broker.open = { _, _ in result("queued") }
        pair.broker.requests.wait = { asked, _ in
            result(pair.broker.requests.waited.count < 2 ? "queued" : "handled", [.string(asked)])
        }
        var options = OpenOptions()
        options.isQueued = true
        #expect(try await pair.application.call("x:", options: options).string == id)
        #expect(pair.broker.requests.waited.count == 2)
    }

    @Test(arguments: [true, false])
    func anAbandonedCallIsCancelled(_ isQueued: Bool) async throws {
        let pair = try await Pair()
        let (asked, gate) = (Collected<Void>(), Gate())
        pair.broker.open = { _, _ in
            if isQueued { return result("queued") }
            asked.add(())
            await gate.wait()
            return result("handled")
        }
        pair.broker.requests.wait = { _, _ in
            asked.add(())
            await gate.wait()
            return result("handled")
        }
        var options = OpenOptions()
        (options.isQueued, options.id) = (isQueued, try RequestID(id))
        let full = options
        let task = Task { try await pair.application.call("x:", options: full) }
        _ = try await asked.wait(for: 1)
        #expect(pair.broker.requests.cancelled.elements.isEmpty)
        task.cancel()
        let failure = await #expect(throws: CallFailure.self) { try await task.value }
        #expect(failure?.code == "StoreUnavailable")
        #expect(try await pair.broker.requests.cancelled.wait(for: 1) == [id])
        gate.end()
    }

    @Test func anUnsentCallIsNotCancelled() async throws {
        let pair = try await Pair()
        let gate = Gate()
        let task = Task {
            await gate.wait()
            return try await pair.application.open("x:")
        }
        task.cancel()
        _ = try await pair.application.brokerDescription()
        gate.end()
        await #expect(throws: IPCError.self) { try await task.value }
        _ = try await pair.application.brokerDescription()
        #expect(pair.broker.opened.isEmpty && pair.broker.requests.cancelled.elements.isEmpty)
    }

    @Test func aFailedOpenIsNotCancelled() async throws {
        let pair = try await Pair()
        pair.broker.open = { _, _ in throw IPCError(.noHandler, "nobody") }
        await #expect(throws: IPCError.self) { try await pair.application.open("x:") }
        _ = try await pair.application.brokerDescription()
        #expect(pair.broker.requests.cancelled.elements.isEmpty)
    }
}
