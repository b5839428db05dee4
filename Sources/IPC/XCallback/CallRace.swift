internal import IPCDBus
internal import IPCInterface

/// What comes back of a call: a direct reply, a callback, or nothing until the end of the time.
struct CallRace {
    /// How long the direct reply may come after a callback. A handler that gives both says more in the reply than fits
    /// a URL, and the two come by different ways.
    static let patience = Duration.seconds(1)

    private enum Event {
        case direct(Result<OpenURLResponse, CallFailure>)
        case callback(Result<CallReply, CallFailure>)
        case timeIsUp
    }

    private let place: CallbackPlace
    private let time: Duration?

    /// - Parameter time: how long a callback may come after a direct answer that says nothing; `nil` for ever.
    init(_ place: CallbackPlace, time: Duration?) { (self.place, self.time) = (place, time) }

    func result(
        of opening: @escaping @Sendable () async throws(CallFailure) -> OpenURLResponse
    ) async -> Result<CallReply, CallFailure> {
        let (events, told) = AsyncStream.makeStream(of: Event.self)
        // Not children: a callback that was faster leaves the request to its own end.
        let direct = Task {
            do throws(CallFailure) { told.yield(.direct(.success(try await opening()))) } catch {
                told.yield(.direct(.failure(error)))
            }
        }
        let callback = Task { [place] in
            guard let answer = await place.answer() else { return }
            told.yield(.callback(answer))
            if (try? await Task.sleep(for: Self.patience)) != nil { told.yield(.timeIsUp) }
        }
        let timer = Task { [time] in
            guard let time, (try? await Task.sleep(for: time)) != nil else { return }
            told.yield(.timeIsUp)
        }
        defer {
            callback.cancel()
            timer.cancel()
        }
        if let result = await first(of: events) { return result }
        direct.cancel()
        return .failure(CallFailure(refused: IPCError(CallError.cancelled)))
    }

    /// The first event that settles it; `nil` when the task is cancelled.
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
            // Without a direct answer the broker tells of the end itself.
            if isTimeUp, let answered { return .success(CallReply(answered)) }
        }
        return nil
    }
}
