public import IPC
internal import IPCPrivateBus

/// A handler in the process of the test, which records its requests. ``PrivateBroker/handler(for:id:window:_:)``
/// creates it.
///
/// ``nextRequest(within:)``, ``expectRequest(_:sending:within:sourceLocation:)`` and
/// ``expectNoRequest(within:sourceLocation:)`` take the requests in the order of their arrival, each once.
public final class FakeHandler: Sendable {
    /// The connection of the handler.
    public let application: Application
    private let arrivals = Observed(Arrivals())
    private let running: Task<Void, Never>

    private struct Arrivals: Sendable {
        var requests: [OpenURLRequest] = []
        /// How many of the requests were taken.
        var takenCount = 0
        /// Why no further request will arrive.
        var failure: IPCError?

        mutating func takeNext() -> OpenURLRequest? {
            guard takenCount < requests.count else { return nil }
            takenCount += 1
            return requests[takenCount - 1]
        }
    }

    init(_ application: Application, _ body: @escaping OpenURLHandler) {
        self.application = application
        running = Task { [arrivals] in
            await withDiscardingTaskGroup { group in
                do throws(IPCError) {
                    for try await request in application.openURLs {
                        arrivals.update { $0.requests.append(request) }
                        group.addTask { await request.handle(body) }
                    }
                } catch { arrivals.update { $0.failure = error } }
            }
        }
    }

    /// The id that senders see as `OpenURLResponse.application`.
    public var id: ApplicationID { application.id }

    /// All requests that have arrived so far, in the order of their arrival. A request is recorded before it is
    /// answered. A request that is delivered again is recorded again, with a higher `attempt`.
    public var requests: [OpenURLRequest] { arrivals.value.requests }

    /// Takes the next request, and waits for it if necessary.
    /// - Throws: ``RequestMissing`` if none arrives in time; `CancellationError` if the task is cancelled; the error that
    ///   ended the handler, such as `notOwner`.
    public func nextRequest(within time: Duration = .seconds(10)) async throws -> OpenURLRequest {
        do {
            return try await withDeadline("request", limit: time) { [arrivals] in
                try await arrivals.wait { arrivals in
                    if let request = arrivals.takeNext() { return request }
                    if let failure = arrivals.failure { throw failure }
                    return nil
                }
            }
        } catch is DeadlineExceeded {
            throw RequestMissing(description: "No request arrived at \(id) within \(time). \(arrivalText)")
        }
    }

    /// Takes all requests that have arrived, and adds those that the broker has accepted but that have not arrived yet.
    /// - Returns: their URLs.
    func takeRest() async throws(IPCError) -> [String] {
        // Ask the broker first. A request that it no longer lists as open was answered, so it has arrived.
        var open = try await application.requests(state: .waiting, application: id).all()
        open += try await application.requests(state: .delivered, application: id).all()
        let (rest, known) = arrivals.update { arrivals in
            let rest = arrivals.requests[arrivals.takenCount...]
            arrivals.takenCount = arrivals.requests.count
            return (rest, Set(arrivals.requests.map(\.id)))
        }
        let coming = Dictionary(open.map { ($0.id, $0.url) }) { first, _ in first }.filter { !known.contains($0.key) }
        return rest.map(\.url) + coming.values
    }

    private var arrivalText: String {
        let urls = requests.map(\.url)
        return urls.isEmpty ? "None has arrived before." : "Arrived before: \(urls.joined(separator: ", "))."
    }

    /// Cancels the requests in progress, and waits until they are answered.
    func end() async {
        running.cancel()
        await running.value
    }
}

/// No request arrived in time.
public struct RequestMissing: Error, CustomStringConvertible, Hashable {
    /// The handler, the time, and the requests that have arrived before.
    public let description: String
}
