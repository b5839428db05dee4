import Foundation
import Testing

@testable import HTTPClient

/// Requests whose task is cancelled. The time-outs of all of them are 60 s.
@Suite(.timeLimit(.minutes(1)))
struct CancellationTests {
    private func sending(to url: URL) -> Task<HTTPResponse, any Error> {
        Task { try await HTTPRequest(.get, url, mostBytes: 1_000).send() }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst part"])
    func `cancellation closes the connection`(_ text: String) async throws {
        let server = try ScriptedServer.start([.send(text), .wait])
        let sending = sending(to: try server.url())
        for await event in server.events {
            guard event != .left else { break }
            sending.cancel()
        }
        await #expect(throws: CancellationError.self) { try await sending.value }
    }

    @Test func `cancellation ends an attempt to connect`() async throws {
        let full = try Listener(backlog: 0)
        while full.connects() {}
        let sending = sending(to: try #require(URL(string: "http://127.0.0.1:\(full.port)/")))
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
        withExtendedLifetime(full) {}
    }

    @Test func `requests that are cancelled at any moment end`() async throws {
        for moment in 0..<100 {
            let server = try ScriptedServer.start([.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")])
            let sending = sending(to: try server.url())
            for _ in 0..<moment { await Task.yield() }
            sending.cancel()
            switch await sending.result {
            case .success(let response): #expect(response.body == Array("x".utf8))
            case .failure(let error): #expect(error is CancellationError)
            }
        }
    }
}
