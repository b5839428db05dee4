internal import Glibc
internal import IPCDBus
private import Synchronization

/// SIGINT, SIGTERM and SIGHUP, by which somebody asks a program to stop, as events: their numbers, in order.
///
/// From ``init()`` on they do not end the process any more, which then has to end itself; ``leaveToSystem()`` turns that
/// round. One that was ignored when the process started (`nohup`, a job in the background) stays ignored. What comes before
/// anybody waits is kept. Each value has every signal; the iterators of one value share them. The sequence ends only when
/// the task is cancelled.
public struct StopSignals: AsyncSequence, Sendable {
    public typealias Element = Int32
    public typealias Failure = Never

    private let stream: AsyncStream<Int32>

    /// Listens from now on.
    public init() {
        let (stream, listener) = AsyncStream.makeStream(of: Int32.self)
        self.stream = stream
        let number = Self.listeners.withLock { $0.add(listener) }
        listener.onTermination = { _ in Self.listeners.withLock { $0.all[number] = nil } }
        SignalArrivals.begin()
        _ = Self.reading
    }

    public func makeAsyncIterator() -> AsyncStream<Int32>.Iterator { stream.makeAsyncIterator() }

    /// Lets the next signal end the process, as if nobody had listened.
    public static func leaveToSystem() { SignalArrivals.leaveToSystem() }

    // MARK: Arrivals

    private struct Listeners {
        var all: [UInt64: AsyncStream<Int32>.Continuation] = [:]
        private var last: UInt64 = 0

        mutating func add(_ listener: AsyncStream<Int32>.Continuation) -> UInt64 {
            last += 1
            all[last] = listener
            return last
        }
    }

    private static let listeners = Mutex(Listeners())

    /// The I/O thread looks at the pipe, from the first listener to the end of the process.
    private static let reading: Void = DBusActor.handOver {
        SignalArrivals.admit()
        watch = DescriptorWatch(SignalArrivals.descriptor, for: .reading) { read() }
    }

    @DBusActor private static var watch: DescriptorWatch?

    private static func read() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(SignalArrivals.descriptor, &bytes, bytes.count)
        let all = listeners.withLock { $0.all.values }
        for byte in bytes.prefix(Swift.max(0, count)) { for listener in all { listener.yield(Int32(byte)) } }
    }

    // MARK: Handling requests

    /// Handles requests until a signal comes; see ``Application/onOpenURL(until:_:)``.
    func handle(_ application: Application, _ body: @escaping OpenURLHandler) async throws(IPCError) {
        let serving = Task { () async -> Result<Void, IPCError> in
            do throws(IPCError) { return .success(try await application.onOpenURL(body)) } catch {
                return .failure(error)
            }
        }
        let stopping = Task {
            var arrivals = makeAsyncIterator()
            guard await arrivals.next() != nil else { return }
            // Without a broker, the claims end with the connection.
            try? await application.stopReceiving()
            guard await arrivals.next() != nil else { return }
            serving.cancel()
        }
        let result = await withTaskCancellationHandler {
            await serving.value
        } onCancel: {
            serving.cancel()
        }
        stopping.cancel()
        try result.get()
    }
}

extension Application {
    /// Handles every request that comes, as ``onOpenURL(_:)``, until somebody asks the program to stop.
    ///
    /// The first signal ends receiving: what no body has begun goes back to the broker, and what is in hand is answered. The
    /// second one cancels what is in hand, too. Returns when everything that was begun is answered; ``close()`` is left to do.
    /// - Parameters:
    ///   - signals: made before anybody is told that the program listens; a signal that came since then counts.
    ///   - body: the work, as of ``onOpenURL(_:)``.
    public nonisolated func onOpenURL(
        until signals: StopSignals, _ body: @escaping OpenURLHandler
    ) async throws(IPCError) {
        try await signals.handle(self, body)
    }
}
