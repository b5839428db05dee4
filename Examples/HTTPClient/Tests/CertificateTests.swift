import Foundation
import Testing

@testable import HTTPClient

/// Servers with TLS.
@Suite(.timeLimit(.minutes(1)))
struct CertificateTests {
    @Test func `a server with an untrusted certificate is rejected`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.appending(path: "key").path(), folder.appending(path: "certificate").path())
        let making = try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 1 "
                + "-addext subjectAltName=IP:127.0.0.1 -keyout \(key) -out \(certificate)")
        making.process.waitUntilExit()
        try #require(making.process.terminationStatus == 0)
        let server = try openssl("s_server -accept 127.0.0.1:0 -www -key \(key) -cert \(certificate)")
        defer { server.process.terminate() }
        let url = try #require(URL(string: "https://127.0.0.1:\(try server.port)/"))
        await #expect(throws: HTTPFailure.other(reason: "SSL certificate problem: self-signed certificate")) {
            try await HTTPRequest(.get, url, mostBytes: 1_000).send()
        }
    }

    private struct Running {
        let process: Process
        let output: FileHandle

        /// The port, from the line `ACCEPT ADDRESS:PORT`.
        var port: Substring {
            get throws {
                var text = ""
                while case let part = output.availableData, !part.isEmpty {
                    text += String(decoding: part, as: UTF8.self)
                    if let line = text.firstMatch(of: /ACCEPT .*:(\d+)\n/) { return line.1 }
                }
                throw CocoaError(.fileReadUnknown)
            }
        }
    }

    private func openssl(_ arguments: String) throws -> Running {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return Running(process: process, output: output.fileHandleForReading)
    }
}
