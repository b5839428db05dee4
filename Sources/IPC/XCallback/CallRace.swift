internal import IPCDBus
internal import IPCInterface

/// Waits for the reply to a call: a direct reply, a callback, or the end of the time.
struct CallRace {
    /// The wait for a direct reply after a callback, because it may hold more than a URL can, and takes another route.
    static let patience = Duration.seconds(1)

    private enum Event {
        case direct(Result<OpenURLResponse, CallFailure>)
        case callback(Result<CallReply, CallFailure>)
        case timeIsUp
    }

    private let place: CallbackPlace
    private let time: Duration?

    /// - Parameter time: the longest wait for a callback after a direct answer without items; `nil` for ever.
    init(_ place: CallbackPlace, time: Duration?) { (self.place, self.time) = (place, time) }

    func result(
        of opening: @escaping @Sendable () async throws(CallFailure) -> OpenURLResponse
    ) async -> Result<CallReply, CallFailure> {
        let (events, reported) = AsyncStream.makeStream(of: Event.self)
        // Not a child task: after a callback, the request continues to its own end.
        let direct = Task {
            do throws(CallFailure) { reported.yield(.direct(.success(try await opening()))) } catch {
                reported.yield(.direct(.failure(error)))
            }
        }
        let callback = Task { [place] in
            guard let answer = await place.answer() else { return }
            reported.yield(.callback(answer))
            if (try? await Task.sleep(for: Self.patience)) != nil { reported.yield(.timeIsUp) }
        }
        let timer = Task { [time] in
            guard let time, (try? await Task.sleep(for: time)) != nil else { return }
            reported.yield(.timeIsUp)
        }
        defer {
            callback.cancel()
            timer.cancel()
        }
        if let result = await first(of: events) { return result }
        direct.cancel()
        return .failure(CallFailure(.refused(IPCError(CallError.cancelled))))
    }

    /// - Returns: `nil` if the task is cancelled.
    private func first(of events: AsyncStream<Event>) async -> Result<CallReply, CallFailure>? {
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
            // Without a direct answer, the broker reports the time-out.
            if isTimeUp, let answered { return .success(CallReply(answered)) }
        }
        return nil
    }
}
