internal import IPCDBus

/// Receives the callbacks of one call, as an application on a connection of its own: the caller's window and consumers
/// do not delay them.
@DBusActor
struct CallbackPlace {
    private let application: Application
    /// Known to the handler of the call only.
    private let token = RequestID.random().text
    private let scheme: String

    /// Registers a scheme until ``close()``.
    /// - Parameters:
    ///   - caller: the id of the application that calls.
    ///   - bus: its bus; `nil` if it has none.
    ///   - wanted: the scheme. If another application handles it, a unique one is derived from it.
    static func open(
        for caller: String, on bus: BusAddress?, scheme wanted: String
    ) async throws(IPCError) -> CallbackPlace {
        guard let bus else {
            throw IPCError(.invalidArguments, "a callback needs a bus, and this application has none")
        }
        let mark = RequestID.random().text
        let application = try await Application.connect(id: "\(caller).callback-\(mark)", bus: bus)
        do throws(IPCError) {
            var scheme = wanted
            if try await application.register([wanted]).contains(where: \.isHandler) {
                scheme = "\(wanted)-\(mark)"
                try await application.register([scheme])
                try await application.unregister([wanted])
            }
            return CallbackPlace(application: application, scheme: scheme)
        } catch {
            await application.close()
            throw error
        }
    }

    /// Adds the callbacks to a URL.
    func url(_ asked: XCallbackURL, source: String) -> String {
        var parameters: URLParameters = [XCallbackURL.source: source]
        for callback in XCallbackURL.Callback.allCases {
            parameters[callback.rawValue] = XCallbackURL(scheme: scheme, action: action(of: callback)).text
        }
        return asked.adding(parameters).text
    }

    private func action(of callback: XCallbackURL.Callback) -> String { "\(callback.rawValue)/\(token)" }

    /// Whether a URL is a callback to a place of this kind, which ends as soon as its call has an answer.
    nonisolated static func isOne(_ url: String) -> Bool {
        let parts = XCallbackURL(url)?.action.split(separator: "/", maxSplits: 1) ?? []
        guard parts.count == 2, XCallbackURL.Callback(rawValue: String(parts[0])) != nil else { return false }
        return (try? RequestID(String(parts[1]))) != nil
    }

    /// The first callback with the token; other URLs are declined. `nil` if the task is cancelled.
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
        } catch { return .failure(CallFailure(.refused(error))) }
    }

    private func callback(by url: XCallbackURL) -> XCallbackURL.Callback? {
        XCallbackURL.Callback.allCases.first { action(of: $0) == url.action }
    }

    func close() async { await application.close() }
}
