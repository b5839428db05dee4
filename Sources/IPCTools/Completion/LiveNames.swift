package import ArgumentParser
internal import IPC
internal import IPCModel

private import class IPCDBus.DBusActor

/// The names that a shell offers for completion, requested from the broker at that moment. Completion does not start
/// the broker: if the broker is not running, the shell offers no names. If the broker takes too long, the shell offers
/// the names that have arrived so far.
package enum LiveNames {
    package static let boards = kind { app, request, names in
        for try await board in app.pasteboards(prefix: request.start) where !names.add(board.name.text) { return }
    }

    package static let schemes = kind { app, _, names in
        for try await claim in app.handlers() where !names.add(claim.scheme.text) { return }
    }

    /// The beginnings of URLs that have a handler: each scheme with its colon.
    package static let urls = kind { app, _, names in
        for try await claim in app.handlers() where !names.add("\(claim.scheme):") { return }
    }

    package static let applications = kind { app, _, names in
        for try await claim in app.handlers() where !names.add(claim.application) { return }
    }

    /// The ids of all requests, even ended ones. If there are too many, only the newest are offered.
    package static let requests = kind { app, _, names in
        for try await request in app.requests() { names.add(request.id.text, keepingNewest: true) }
    }

    /// The types on the pasteboard that the command line names.
    package static let types = kind { app, request, names in
        guard let name = try? PasteboardName(request.board) else { return }
        let board = Pasteboard(named: name, of: app)
        for type in try await board.types.joined() where !names.add(type.text) { return }
    }

    private static func kind(
        _ ask: @escaping @Sendable @DBusActor (Application, CompletionRequest, GatheredNames) async throws -> Void
    ) -> CompletionKind {
        .custom { words, place, start in
            let request = CompletionRequest(words, place, start)
            let names = GatheredNames(startingWith: request.start)
            DBusActor.task {
                // An error would disturb the command line that the user is typing.
                if let app = try? await Application.connect(id: "demo.IPCClient", resends: false),
                    await app.bus.hasBroker()
                {
                    try? await ask(app, request, names)
                }
                names.end()
            }
            return names.all().map { request.shown($0) }
        }
    }
}
