import ArgumentParser
import HTTPTypes
import Hummingbird
import LocalServer
import NIOCore
import ServiceLifecycle

/// A server for trying the relay: `/status`, `/report` and `/large` give correct answers, the other paths faulty ones.
@main
struct TestServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay-test-server",
        abstract: "Answer requests on this machine, correctly or with faults, for trying the relay.",
        discussion: """
            /status (GET), /report (GET, POST): a form that ends with END
            /no-end, /no-value, /cut-off, /failing, /redirect, /silent: faulty answers
            /large?bytes=N: an answer of N bytes
            """)

    @OptionGroup var server: LocalServer

    func run() async throws { try await server.run(Self.routes()) }

    private static func routes() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("status") { request, _ in
            let asked = request.uri.queryParameters
            return text("device=\(asked["deviceID"] ?? "")&kind=\(asked["messageType"] ?? "")&state=ready&END\n")
        }
        router.get("report") { request, context in
            text(receipt(try request.uri.decodeQuery(as: Report.self, context: context), request))
        }
        router.post("report") { request, context in
            let report = try await URLEncodedFormDecoder().decode(Report.self, from: request, context: context)
            return text(receipt(report, request))
        }
        router.get("no-end") { _, _ in text("device=x&state=rea") }
        router.get("no-value") { _, _ in text("device=x&state&END") }
        router.get("failing") { _, _ in Response(status: .internalServerError, body: bytes("error=out of order&END")) }
        router.get("redirect") { _, _ in Response.redirect(to: "/status", type: .found) }
        router.get("cut-off", use: cutOff)
        router.get("silent", use: silence)
        router.get("large") { request, _ in
            let count = request.uri.queryParameters["bytes"].flatMap { Int($0) } ?? 0
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x61, count: count)))
        }
        return router
    }

    /// A report from a device, in the URL or in the body.
    private struct Report: Decodable {
        let deviceID: String
        let messageType: String
        let dateTime: String?
        let text: String
    }

    private static func receipt(_ report: Report, _ request: Request) -> String {
        "device=\(report.deviceID)&kind=\(report.messageType)&method=\(request.method.rawValue)"
            + "&dateTime=\(report.dateTime ?? "")&characters=\(report.text.count)&END\n"
    }

    /// Announces 100 bytes, sends a few of them, and closes the connection.
    @Sendable
    private static func cutOff(_ request: Request, _ context: BasicRequestContext) -> Response {
        Response(
            status: .ok, headers: [.contentLength: "100"],
            body: ResponseBody(contentLength: 100) { writer in
                try await writer.write(ByteBuffer(string: "device=x&state=rea"))
                throw CancellationError()
            })
    }

    /// Sends nothing until the server shuts down.
    @Sendable
    private static func silence(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        try await gracefulShutdown()
        return Response(status: .serviceUnavailable)
    }

    private static func text(_ body: String) -> Response {
        Response(status: .ok, headers: [.contentType: "text/plain; charset=utf-8"], body: bytes(body))
    }

    private static func bytes(_ text: String) -> ResponseBody { ResponseBody(byteBuffer: ByteBuffer(string: text)) }
}
