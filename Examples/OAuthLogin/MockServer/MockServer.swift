import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import LocalServer
import NIOCore

/// An authorization server with one client and one user, who needs no password.
@main
struct MockServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "oauth-mock-server", abstract: "Sign in users who agree, for trying oauth-login.")

    @OptionGroup var server: LocalServer

    func run() async throws { try await server.run(Self.routes(Grants())) }

    private static func routes(_ grants: Grants) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("authorize") { request, context in
            tell("GET /authorize")
            do {
                let asked = try AuthorizationRequest(request.uri.queryParameters)
                return page(AuthorizationPage(ticket: await grants.ask(asked)).html)
            } catch let refused as Grants.Refused {
                return Response.redirect(to: refused.callback, type: .found)
            } catch let wrong as Grants.Wrong {
                // RFC 6749 §4.1.2.1: never redirect the browser to an unknown client.
                return page(AuthorizationPage.refusal(wrong.description), status: .badRequest)
            }
        }
        router.get("painted") { _, _ in
            tell("GET /painted")
            return Response(status: .noContent)
        }
        router.post("decision") { request, context in
            let decision: Decision = try await form(of: request, context)
            tell("POST /decision \(decision.answer)")
            guard let callback = await grants.decide(decision) else {
                return page(AuthorizationPage.refusal("This page has already been used."), status: .badRequest)
            }
            return Response.redirect(to: callback, type: .found)
        }
        router.post("token") { request, context in
            let asked: TokenRequest = try await form(of: request, context)
            do throws(Grants.Wrong) {
                let token = try await grants.token(for: asked)
                tell("POST /token: issued")
                return json(["access_token": token, "token_type": "Bearer"])
            } catch {
                tell("POST /token: \(error.error), \(error.description)")
                return json(["error": error.error, "error_description": error.description], status: .badRequest)
            }
        }
        router.get("userinfo") { request, _ in
            guard await grants.knows(request.headers[.authorization]) else {
                return json(["error": "invalid_token"], status: .unauthorized)
            }
            return json(["sub": "ada", "name": "Ada Lovelace"])
        }
        return router
    }

    private static func form<Form: Decodable>(
        of request: Request, _ context: BasicRequestContext
    ) async throws -> Form {
        do { return try await URLEncodedFormDecoder().decode(Form.self, from: request, context: context) } catch {
            throw HTTPError(.badRequest, message: "the form is incomplete")
        }
    }

    private static func page(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private static func json(_ members: [String: String], status: HTTPResponse.Status = .ok) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = (try? encoder.encode(members)) ?? Data()
        return Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
    }

    private static func tell(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
