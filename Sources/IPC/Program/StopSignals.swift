internal import Glibc
internal import IPCDBus
private import Synchronization

/// The numbers of SIGINT, SIGTERM and SIGHUP, the signals that stop a program, in the order of their arrival.
///
/// From ``init()`` on, they do not end the process, until ``leaveToSystem()``. A signal that was ignored when the
/// process started (`nohup`, a job in the background) stays ignored. Signals are kept until they are read. Each value
/// gets every signal, and its iterators share them. The sequence only ends when the task is cancelled.
public struct StopSignals: AsyncSequence, Sendable {
    public typealias Element = Int32
    public typealias Failure = Never

    private let stream: AsyncStream<Int32>

    /// Begins to receive signals.
    public init() {
        let (stream, listener) = AsyncStream.makeStream(of: Int32.self)
        self.stream = stream
        Self.listeners.withLock { _ = $0.insert(listener) }
        listener.onTermination = { _ in Self.listeners.withLock { _ = $0.remove(listener) } }
        SignalArrivals.begin()
        _ = Self.reading
    }

    public func makeAsyncIterator() -> AsyncStream<Int32>.Iterator { stream.makeAsyncIterator() }

    /// Lets the next signal end the process.
    public static func leaveToSystem() { SignalArrivals.leaveToSystem() }

    private static let listeners = Mutex<Set<AsyncStream<Int32>.Continuation>>([])

    /// Watches the pipe on the I/O thread, from the first listener to the end of the process.
    private static let reading: Void = DBusActor.handOver {
        SignalArrivals.admit()
        watch = DescriptorWatch(SignalArrivals.descriptor, for: .reading) { read() }
    }

    @DBusActor private static var watch: DescriptorWatch?

    private static func read() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(SignalArrivals.descriptor, &bytes, bytes.count)
        let all = listeners.withLock(\.self)
        for byte in bytes.prefix(Swift.max(0, count)) { for listener in all { listener.yield(Int32(byte)) } }
    }
}

extension Application {
    /// Handles requests as ``onOpenURL(_:)`` does, until a signal stops the program.
    ///
    /// After the first signal, requests that no body has begun return to the broker, and the others are answered. A
    /// second signal cancels the work in progress. Returns when every request that was begun is answered; then
    /// ``close()``.
    /// - Parameters:
    ///   - signals: made before the program reports that it listens; signals since then count.
    ///   - body: the work, as of ``onOpenURL(_:)``.
    public nonisolated func onOpenURL(
        until signals: StopSignals, _ body: @escaping OpenURLHandler
    ) async throws(IPCError) {
        try await signals.end { () async throws(IPCError) in
            try await self.onOpenURL(body)
        } by: {
            // Without a broker, the claims end with the connection.
            try? await self.stopReceiving()
        }
    }
}

extension StopSignals {
    /// Runs `work` until it ends. The first signal runs `stop`, and the second one cancels `work`.
    fileprivate func end(
        _ work: @escaping @Sendable () async throws(IPCError) -> Void, by stop: @escaping @Sendable () async -> Void
    ) async throws(IPCError) {
        let working = Task { () async -> Result<Void, IPCError> in
            do throws(IPCError) { return .success(try await work()) } catch { return .failure(error) }
        }
        let stopping = Task {
            var arrivals = makeAsyncIterator()
            guard await arrivals.next() != nil else { return }
            await stop()
            guard await arrivals.next() != nil else { return }
            working.cancel()
        }
        let result = await withTaskCancellationHandler {
            await working.value
        } onCancel: {
            working.cancel()
        }
        stopping.cancel()
        try result.get()
    }
}
