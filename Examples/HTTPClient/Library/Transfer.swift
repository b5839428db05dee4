/// One request and its response. Only the thread of the transfer uses it.
final class Transfer {
    private let network: Network
    private let arrivals: Arrivals
    private let easy: EasyHandle
    private let readTimeout: Duration

    /// How many bytes had been transferred when that number last changed, and when that was.
    private var latest = (transferred: 0, time: ContinuousClock.now)

    init(_ request: HTTPRequest, _ network: Network) throws(HTTPFailure) {
        self.network = network
        arrivals = Arrivals(mostBytes: request.mostBytes)
        easy = try EasyHandle(request, arrivals: arrivals)
        readTimeout = request.readTimeout
    }

    /// Blocks the thread until the transfer ends.
    func run() throws -> HTTPResponse {
        try network.add(easy)
        defer { network.remove(easy) }
        while !network.isCancelled {
            if let end = try network.perform() { return try response(easy.failure(end)) }
            let patience = self.patience
            if let patience, patience <= .zero { return try response(.readTimeout) }
            try network.wait(atMost: patience)
        }
        throw CancellationError()
    }

    /// How much longer the connection may be silent; `nil` before it is established, which has its own time-out.
    private var patience: Duration? {
        let (transferred, now) = (easy.transferred, ContinuousClock.now)
        if transferred != latest.transferred { latest = (transferred, now) }
        return transferred == 0 ? nil : latest.time + readTimeout - now
    }

    /// Returns what has arrived.
    private func response(_ failure: HTTPFailure?) throws(HTTPFailure) -> HTTPResponse {
        // A connection that ends within the header is not an error for libcurl.
        guard let (status, reasonPhrase) = arrivals.status else { throw failure ?? .noAnswer }
        return HTTPResponse(
            status: status, reasonPhrase: reasonPhrase, contentType: easy.header("Content-Type"),
            contentLength: easy.header("Content-Length").flatMap { Int($0) }, body: arrivals.body,
            cutOff: arrivals.isTooLarge ? .tooLarge : failure)
    }
}
