internal import Glibc
internal import IPCDBus
private import Synchronization

/// The numbers of SIGINT, SIGTERM and SIGHUP, the signals that stop a program, in the order of their arrival.
///
/// Between ``init()`` and ``leaveToSystem()``, these signals do not kill the process. A signal that was ignored when
/// the process started (`nohup`, background jobs) stays ignored. Signals are kept until they are read. Each value of
/// this type gets every signal; its iterators share them. The sequence ends only when the task is cancelled.
public struct StopSignals: AsyncSequence, Sendable {
    public typealias Element = Int32
    public typealias Failure = Never

    private let stream: AsyncStream<Int32>

    /// Starts to receive signals.
    public init() {
        let (stream, listener) = AsyncStream.makeStream(of: Int32.self)
        self.stream = stream
        Self.listeners.withLock { _ = $0.insert(listener) }
        listener.onTermination = { _ in Self.listeners.withLock { _ = $0.remove(listener) } }
        SignalArrivals.begin()
        _ = Self.reading
    }

    public func makeAsyncIterator() -> AsyncStream<Int32>.Iterator { stream.makeAsyncIterator() }

    /// Lets the next signal kill the process.
    public static func leaveToSystem() { SignalArrivals.leaveToSystem() }

    private static let listeners = Mutex<Set<AsyncStream<Int32>.Continuation>>([])

    /// Watches the pipe of signals on the I/O thread, from the first use of this property until the process exits.
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
    /// After the first signal, requests whose handling has not started return to the broker, and the others are
    /// answered. A second signal cancels the work in progress. This returns when the requests in progress have been
    /// answered; then call ``close()``.
    /// - Parameters:
    ///   - signals: create this before the program reports that it is ready. An earlier signal kills the process.
    ///   - body: the work, as in ``onOpenURL(_:)``.
    public nonisolated func onOpenURL(
        until signals: StopSignals, _ body: @escaping OpenURLHandler
    ) async throws(IPCError) {
        try await signals.end { () async throws(IPCError) in
            try await self.onOpenURL(body)
        } by: {
            // If this fails, closing the connection releases the claims.
            try? await self.stopReceiving()
        }
    }
}

extension StopSignals {
    /// Runs `work` until it completes. The first signal runs `stop`, and the second one cancels `work`.
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
