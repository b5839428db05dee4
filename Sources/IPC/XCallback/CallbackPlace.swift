internal import IPCDBus
internal import IPCInterface

/// Receives the callbacks of one call. It is a separate application on its own connection, so callbacks arrive even if
/// the caller already works on as many requests as it accepts at a time.
@DBusActor
struct CallbackPlace {
    /// How long to wait for a direct reply after a callback. A direct reply takes another route, and can hold more.
    static let patience = Duration.seconds(1)

    private enum Event {
        case direct(Result<OpenURLResponse, CallFailure>)
        case callback(Result<CallReply, CallFailure>)
        case timeIsUp
    }

    private let application: Application
    /// A token that only the handler of the call knows.
    private let token = RequestID.random().text
    private let scheme: URLScheme

    /// Registers a scheme until ``close()``. If another application handles it, uses a unique scheme derived from it.
    static func open(
        for caller: String, on bus: BusAddress?, scheme wanted: URLScheme
    ) async throws(IPCError) -> CallbackPlace {
        guard let bus else {
            throw IPCError(.invalidArguments, "a callback needs a message bus, but this application has none")
        }
        let mark = RequestID.random().text
        let application = try await Application.connect(
            id: try ApplicationID("\(caller).callback-\(mark)"), bus: bus)
        do throws(IPCError) {
            var scheme = wanted
            if try await application.register([wanted]).contains(where: \.isHandler) {
                scheme = try URLScheme("\(wanted)-\(mark)")
                try await application.register([scheme])
                try await application.unregister([wanted])
            }
            return CallbackPlace(application: application, scheme: scheme)
        } catch {
            await application.close()
            throw error
        }
    }

    func url(_ asked: XCallbackURL, source: String) -> String {
        var parameters: URLParameters = [XCallbackURL.source: source]
        for callback in XCallbackURL.Callback.allCases {
            parameters[callback.rawValue] = XCallbackURL(scheme: scheme.text, action: action(of: callback)).text
        }
        return asked.adding(parameters).text
    }

    private func action(of callback: XCallbackURL.Callback) -> String { "\(callback.rawValue)/\(token)" }

    /// Whether a URL is a callback to a `CallbackPlace`, which is closed as soon as its call has an answer.
    nonisolated static func isOne(_ url: String) -> Bool {
        let parts = XCallbackURL(url)?.action.split(separator: "/", maxSplits: 1) ?? []
        guard parts.count == 2, XCallbackURL.Callback(rawValue: String(parts[0])) != nil else { return false }
        return (try? RequestID(String(parts[1]))) != nil
    }

    /// Waits for the reply to a call: a direct reply, a callback, or the time-out.
    /// - Parameter time: how long to wait for a callback after a direct answer without items; `nil` means no limit.
    func reply(
        within time: Duration?, to opening: @escaping @Sendable () async throws(CallFailure) -> OpenURLResponse
    ) async -> Result<CallReply, CallFailure> {
        let (events, reported) = AsyncStream.makeStream(of: Event.self)
        // This is not a child task: after a callback, this function returns, but the request continues until it ends.
        let direct = Task {
            do throws(CallFailure) { reported.yield(.direct(.success(try await opening()))) } catch {
                reported.yield(.direct(.failure(error)))
            }
        }
        let callback = Task {
            guard let answer = await self.answer() else { return }
            reported.yield(.callback(answer))
            if (try? await Task.sleep(for: Self.patience)) != nil { reported.yield(.timeIsUp) }
        }
        let timer = Task {
            guard let time, (try? await Task.sleep(for: time)) != nil else { return }
            reported.yield(.timeIsUp)
        }
        defer {
            callback.cancel()
            timer.cancel()
        }
        if let result = await Self.first(of: events) { return result }
        direct.cancel()
        return .failure(CallFailure(.refused(IPCError(CallError.cancelled))))
    }

    /// - Returns: `nil` if the task is cancelled.
    private static func first(of events: AsyncStream<Event>) async -> Result<CallReply, CallFailure>? {
        var answered: OpenURLResponse?
        var calledBack: Result<CallReply, CallFailure>?
        var isTimeUp = false
        for await event in events {
            switch event {
            case .callback(let result): calledBack = result
            case .direct(.failure(let failure)): return calledBack ?? .failure(failure)
            case .direct(.success(let response)):
                if let failure = CallFailure(response) { return calledBack ?? .failure(failure) }
                guard response.reply.isEmpty else { return .success(CallReply(response)) }
                answered = response
            case .timeIsUp: isTimeUp = true
            }
            if let calledBack, answered != nil || isTimeUp { return calledBack }
            // Without a direct answer, keep waiting: the broker will report the request's time-out as the answer.
            if isTimeUp, let answered { return .success(CallReply(answered)) }
        }
        return nil
    }

    /// Waits for the first callback with the token, and declines other URLs. Returns `nil` if the task is cancelled.
    private func answer() async -> Result<CallReply, CallFailure>? {
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
