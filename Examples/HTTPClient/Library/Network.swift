internal import CCurl
internal import Synchronization

/// Performs one transfer on one thread, which any other thread can wake (libcurl's multi interface).
///
/// `Sendable` is unchecked because libcurl permits other threads to call `curl_multi_wakeup`, which is all ``cancel()`` does.
final class Network: @unchecked Sendable {
    private let multi: UnsafeMutableRawPointer
    private let cancelled = Atomic(false)

    /// Initializes libcurl when it is first used. The program's exit ends it.
    private static let start = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    init() throws(HTTPFailure) {
        guard Self.start == CURLE_OK, let multi = curl_multi_init() else {
            throw .other(reason: "libcurl cannot be initialized")
        }
        self.multi = multi
    }

    deinit { curl_multi_cleanup(multi) }

    /// Ends the current or next ``wait(atMost:)``. This can be called on any thread.
    func cancel() {
        cancelled.store(true, ordering: .releasing)
        curl_multi_wakeup(multi)
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func add(_ easy: EasyHandle) throws(HTTPFailure) { try check(curl_multi_add_handle(multi, easy.handle)) }

    /// Closes the connection, whether the transfer has ended or not.
    func remove(_ easy: EasyHandle) { curl_multi_remove_handle(multi, easy.handle) }

    /// Does what is possible without waiting, and returns the result of the transfer once it has ended.
    func perform() throws(HTTPFailure) -> CURLcode? {
        var (running, remaining): (Int32, Int32) = (0, 0)
        try check(curl_multi_perform(multi, &running))
        guard let message = curl_multi_info_read(multi, &remaining) else { return nil }
        return message.pointee.data.result
    }

    /// Waits until more is possible, the task is cancelled, or the time has passed.
    func wait(atMost time: Duration?) throws(HTTPFailure) {
        let milliseconds = time.map { Int32(clamping: $0.milliseconds) } ?? .max
        try check(curl_multi_poll(multi, nil, 0, milliseconds, nil))
    }

    private func check(_ code: CURLMcode) throws(HTTPFailure) {
        guard code == CURLM_OK else { throw .other(reason: String(cString: curl_multi_strerror(code))) }
    }
}

extension Duration {
    /// The number of milliseconds, at least 1 and rounded up, so that nothing is given up too early.
    var milliseconds: Int { max(1, Int((self / .milliseconds(1)).rounded(.up))) }
}
