internal import IPCDBus

/// A place of a call's own to which callbacks come: an application on a connection of its own, so that neither the window
/// nor the consumers of the caller are in their way.
@DBusActor
struct CallbackPlace {
    private let application: Application
    /// What only the handler that was asked can know.
    private let token = RequestID.random().text
    private let scheme: String

    /// Registers a scheme for the time of the call.
    /// - Parameters:
    ///   - caller: the id of the application that calls.
    ///   - bus: its bus; `nil` if it has none.
    ///   - wanted: the scheme; if another application handles it, the call derives one of its own from it.
    static func open(
        for caller: String, on bus: BusAddress?, scheme wanted: String
    ) async throws(IPCError) -> CallbackPlace {
        guard let bus else {
            throw IPCError(.invalidArguments, "a callback needs a bus, and this application has none")
        }
        let mark = RequestID.random().text
        let application = try await Application.connect(id: "\(caller).callback-\(mark)", bus: bus)
        do throws(IPCError) {
            return CallbackPlace(application, scheme: try await claim(wanted, for: application, mark))
        } catch {
            await application.close()
            throw error
        }
    }

    private init(_ application: Application, scheme: String) {
        (self.application, self.scheme) = (application, scheme)
    }

    private static func claim(
        _ wanted: String, for application: Application, _ mark: String
    ) async throws(IPCError) -> String {
        let others = try await application.register([wanted])
        guard others.contains(where: \.isHandler) else { return wanted }
        let own = "\(wanted)-\(mark)"
        try await application.register([own])
        try await application.unregister([wanted])
        return own
    }

    /// The URL with the callbacks to this place.
    func url(_ asked: XCallbackURL, source: String) -> String {
        var parameters: URLParameters = [XCallbackURL.source: source]
        for callback in XCallbackURL.Callback.allCases {
            parameters[callback.rawValue] = XCallbackURL(scheme: scheme, action: action(of: callback)).text
        }
        return asked.adding(parameters).text
    }

    private func action(of callback: XCallbackURL.Callback) -> String { "\(callback.rawValue)/\(token)" }

    /// Whether a URL is a callback to such a place, which is gone as soon as its call has an answer.
    nonisolated static func isOne(_ url: String) -> Bool {
        let parts = XCallbackURL(url)?.action.split(separator: "/", maxSplits: 1) ?? []
        guard parts.count == 2, XCallbackURL.Callback(rawValue: String(parts[0])) != nil else { return false }
        return (try? RequestID(String(parts[1]))) != nil
    }

    /// The first callback that knows the token; all else is declined. `nil` when the task is cancelled.
    func answer() async -> Result<CallReply, CallFailure>? {
        do throws(IPCError) {
            for try await request in application.openURLs {
                guard let url = XCallbackURL(request.url), let callback = callback(by: url) else {
                    try? await request.finish(.declined)
                    continue
                }
                try? await request.finish(.handled)
                return CallbackResult.reply(callback, url)
            }
            return nil
        } catch { return .failure(CallFailure(refused: error)) }
    }

    private func callback(by url: XCallbackURL) -> XCallbackURL.Callback? {
        XCallbackURL.Callback.allCases.first { action(of: $0) == url.action }
    }

    /// Gives the scheme back.
    func close() async { await application.close() }
}
