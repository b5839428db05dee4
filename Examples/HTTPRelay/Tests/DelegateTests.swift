import Foundation
import IPC
import IPCTestKit
import Synchronization
import Testing

@testable import HTTPRelay

/// What a delegate is notified of, and when. A fake relay answers; `HTTPRelayTests` of the root package has a real one.
@Suite(.privateBroker, .timeLimit(.minutes(1)))
struct DelegateTests {
    private struct Question: ServerRequest {
        typealias Answer = EndedForm
        static let messageType = "question"
        let parameters = RequestParameters(deviceID: "d", serverURL: "http://127.0.0.1/")
    }

    /// Implements no method.
    private final class Silent: ServerRequestDelegate { typealias Request = Question }

    /// Implements one method.
    private final class Hopeful: ServerRequestDelegate {
        private(set) var answers: [String] = []

        func request(_ request: Question, didSucceedWith answer: EndedForm) { answers.append(answer["a"] ?? "") }
    }

    /// Implements all methods, and records each call. It can be read on every thread.
    private final class Complete: ServerRequestDelegate {
        private let events = Mutex<[String]>([])
        nonisolated init() {}

        nonisolated var recorded: [String] { events.withLock(\.self) }

        private func record(_ event: String) {
            MainActor.preconditionIsolated()
            events.withLock { $0.append(event) }
        }

        func requestWillSend(_ request: Question) { record("will send") }
        func request(_ request: Question, didReceive response: ResponseParameters) {
            record("received \(String(decoding: response.rawData, as: UTF8.self))")
        }
        func request(_ request: Question, didSucceedWith answer: EndedForm) {
            record("succeeded \(answer.fields.count)")
        }
        func request(_ request: Question, didFailWith error: any Error) { record("failed: \(error)") }
        func requestDidFinish(_ request: Question) { record("finished") }
    }

    private static let success = ["will send", "received a=1&END", "succeeded 1", "finished"]
    private static let failure = [
        "will send", "received a=1&EN",
        "failed: the answer does not end with END, but with “EN”: it may be cut off", "finished",
    ]

    /// A relay to a fake handler that gives this answer to every request.
    private func relay(answering text: String) async throws -> (relay: Relay, handler: FakeHandler) {
        let broker = try PrivateBroker.current
        let handler = try await broker.handler(for: "relay") { _ in
            try ResponseParameters(statusCode: 200, rawData: Array(text.utf8)).items(type: .plainText)
        }
        return (Relay(try await broker.application("demo.Caller")), handler)
    }

    /// Runs the body on a thread that may block.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test(arguments: [("a=1&END", success), ("a=1&EN", failure)])
    func `every method is called once, in order, on the main actor`(_ text: String, _ events: [String]) async throws {
        let (relay, handler) = try await relay(answering: text)
        let delegate = Complete()
        await relay.send(Question(), delegate: delegate).value
        #expect(delegate.recorded == events)
        withExtendedLifetime(handler) {}
    }

    @Test(arguments: [("a=1&END", success), ("a=1&EN", failure)])
    func `the synchronous style has called every method when it returns`(
        _ text: String, _ events: [String]
    ) async throws {
        let (relay, handler) = try await relay(answering: text)
        let delegate = Complete()
        let result = try await onThread {
            let result = Result { try relay.sendAndWait(Question(), delegate: delegate) }
            return (isSuccess: (try? result.get()) != nil, events: delegate.recorded)
        }
        #expect(result.events == events && result.isSuccess == (events == Self.success))
        withExtendedLifetime(handler) {}
    }

    @Test func `the synchronous style stops a program that calls it in a task, which would wait for itself`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await withPrivateBroker { broker in
                let relay = Relay(try await broker.application("demo.Caller"))
                _ = try relay.sendAndWait(Question())
            }
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("sendAndWait is for a thread of your own"), "\(errors)")
    }

    @Test(arguments: ["a=1&END", "a=1&EN"])
    func `a delegate may implement no method`(_ text: String) async throws {
        let (relay, handler) = try await relay(answering: text)
        await relay.send(Question(), delegate: Silent()).value
        let delegate = Silent()
        let answer = try? await onThread { try relay.sendAndWait(Question(), delegate: delegate) }
        #expect(answer?["a"] == (text == "a=1&END" ? "1" : nil))
        #expect(handler.requests.count == 2)
    }

    @Test @MainActor func `a delegate may implement one method`() async throws {
        let (relay, handler) = try await relay(answering: "a=1&END")
        let delegate = Hopeful()
        await relay.send(Question(), delegate: delegate).value
        _ = try await onThread { try relay.sendAndWait(Question(), delegate: delegate) }
        #expect(delegate.answers == ["1", "1"])
        withExtendedLifetime(handler) {}
    }

    @Test func `the delegate is notified of a request that was never sent`() async throws {
        let delegate = Complete()
        await Relay(try await PrivateBroker.current.application("demo.Caller")).send(Question(), delegate: delegate)
            .value
        #expect(delegate.recorded.count == 4 && delegate.recorded[2].hasPrefix("failed: "), "\(delegate.recorded)")
    }

    @Test func `the id of the installation comes from the handler of installid, if there is one`() async throws {
        let broker = try PrivateBroker.current
        let relay = Relay(try await broker.application("demo.Caller"))
        #expect(try await relay.installationID() == nil)
        let handler = try await broker.handler(for: "installid") { _ in [.string("6aafbf84")] }
        #expect(try await relay.installationID() == "6aafbf84")
        try await handler.application.stopReceiving()
        let locked = try await broker.handler(for: "installid", id: "demo.Locked") { _ in
            throw OpenURLRequest.Answer.failed(code: "keyring-locked", message: "the keyring is locked")
        }
        let failure = await #expect(throws: CallFailure.self) { try await relay.installationID() }
        #expect(failure?.code == "keyring-locked")
        withExtendedLifetime(locked) {}
    }
}
