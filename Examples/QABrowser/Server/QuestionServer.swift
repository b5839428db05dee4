import ArgumentParser
import HTTPTypes
import Hummingbird
import LocalServer
import NIOCore
import QuestionArchive
import Questions
import ServiceLifecycle

/// A web API that searches for questions, and the questions' web pages.
@main
struct QuestionServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "question-server",
        abstract: "Answer searches for questions on this machine, in XML, as a web API does.",
        discussion: """
            /questions?query=WORDS&start=1&results=20: results in XML, newest first; at most 100 at once
            /questions?id=ID: one question in XML
            /question/ID, /m/ID: its web page with the answers, and the one for phones

            Three special words in a query simulate failures: with ':slow', the answer is delayed by --delay; with ':fail', \
            it has the status 500; and with ':cut', it ends in the middle of the XML.
            """)

    @OptionGroup var server: LocalServer

    @Option(help: "The delay of an answer to ':slow', in seconds.")
    var delay = 5.0

    func run() async throws { try await server.run(routes(try QuestionLibrary.bundled())) }

    private func routes(_ library: QuestionLibrary) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("questions") { request, context in
            let asked: SearchRequest
            do throws(HTTPError) { asked = try SearchRequest(request, context) } catch {
                return Self.text("application/xml", ResultSet.rejection(error.body ?? ""), status: error.status)
            }
            return try await answer(asked, library, address: "http://\(request.head.authority ?? "127.0.0.1")")
        }
        for (path, page) in [("question/:id", \Question.page), ("m/:id", \Question.mobilePage)] {
            router.get(RouterPath(path)) { _, context in
                guard let question = context.parameters.get("id", as: Int.self).flatMap(library.question) else {
                    throw HTTPError(.notFound, message: "there is no such question")
                }
                return Self.text("text/html", question[keyPath: page])
            }
        }
        return router
    }

    private func answer(_ asked: SearchRequest, _ library: QuestionLibrary, address: String) async throws -> Response {
        if asked.trials.contains(.slow) {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(delay)) }
        }
        if asked.trials.contains(.fail) { throw HTTPError(.internalServerError, message: "out of order") }
        let found = asked.id.map { library.question($0).map { [$0] } ?? [] } ?? library.search(asked.words)
        let questions = found.dropFirst(asked.start - 1).prefix(asked.results).map { question in
            var question = question
            question.url = "\(address)/question/\(question.id)"
            question.mobileURL = "\(address)/m/\(question.id)"
            return question
        }
        let xml = ResultSet(total: found.count, first: asked.start, questions: questions).xml
        return Self.text("application/xml", asked.trials.contains(.cut) ? String(xml.prefix(xml.count / 2)) : xml)
    }

    private static func text(_ type: String, _ body: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "\(type); charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}
