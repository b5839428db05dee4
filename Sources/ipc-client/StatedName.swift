import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// A name on the command line that may be misspelled, because only existing names make sense in its place.
enum StatedName: Sendable {
    case board(String)
    case application(String)
    case scheme(String)

    /// The scheme of a URL.
    static func url(_ url: String) -> StatedName { .scheme(String(url.prefix { $0 != ":" })) }

    /// The names of the errors that may mean that there is nothing with this name.
    private var errors: Set<IPCError.Code> {
        switch self {
        case .board: [.noSuchPasteboard]
        case .application: [.handlerUnavailable, .noHandler]
        case .scheme: [.noHandler]
        }
    }

    private var text: String {
        switch self {
        case .board(let text), .application(let text), .scheme(let text): text
        }
    }

    /// Adds a question to a failure if it may mean that this name does not exist, and a similar name does.
    @DBusActor
    func advised(_ failure: ToolFailure) async -> ToolFailure {
        guard errors.contains(where: { $0.rawValue == failure.name }), !failure.message.isEmpty,
            let question = await question()
        else { return failure }
        return failure.adding(question)
    }

    /// “did you mean …?” with the most similar name that exists; nil if there is none, if this name exists, or if the
    /// broker does not answer.
    @DBusActor
    func question() async -> String? {
        guard let app = try? await Application.connect(id: ApplicationID(Client.id), resends: false),
            let names = try? await names(app), !names.contains(text)
        else { return nil }
        return Spelling.nearest(to: text, among: names).map { "did you mean \($0.quoted)?" }
    }

    /// ``question()`` as the last clause of a message; empty if there is no question.
    @DBusActor
    func clause() async -> String { await question().map { "; " + $0 } ?? "" }

    @DBusActor
    private func names(_ app: Application) async throws(IPCError) -> [String] {
        guard await app.bus.hasBroker() else { return [] }
        return switch self {
        case .board: try await app.pasteboards().all().map(\.name.text)
        case .application: try await app.handlers().all().map(\.application)
        case .scheme: try await app.handlers().all().map(\.scheme.text)
        }
    }
}
