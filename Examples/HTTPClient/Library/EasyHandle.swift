internal import CCurl
internal import Foundation

/// A request in the form that libcurl performs (its easy interface).
final class EasyHandle {
    let handle: UnsafeMutableRawPointer
    /// The header fields, which libcurl does not copy.
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// Where libcurl writes what went wrong.
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// - Parameter arrivals: gets what the server sends; it must outlive this handle.
    init(_ request: HTTPRequest, arrivals: Arrivals) throws(HTTPFailure) {
        guard let handle = curl_easy_init() else { throw .other(reason: "libcurl has no memory") }
        self.handle = handle
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try set(CURLOPT_ERRORBUFFER, errorText)
        try setConnection(request)
        try setMessage(request)
        try setReceiver(arrivals)
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fields)
        errorText.deallocate()
    }

    private func setConnection(_ request: HTTPRequest) throws(HTTPFailure) {
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        // An empty text means that the environment variables for proxies are ignored.
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.milliseconds)
        try set(CURLOPT_FORBID_REUSE, 1)
        // A transfer runs on its own thread, so it must not change how the program handles signals.
        try set(CURLOPT_NOSIGNAL, 1)
        // A name is looked up on a thread of libcurl. Nothing waits for that thread if its result is no longer needed.
        try set(CURLOPT_QUICK_EXIT, 1)
    }

    private func setMessage(_ request: HTTPRequest) throws(HTTPFailure) {
        try set(CURLOPT_URL, request.url.absoluteString)
        // The other versions have no reason phrases.
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try set(CURLOPT_HTTPAUTH, 0)
        if case .post(let body) = request.method { try check(ccurl_post(handle, body, body.count)) }
        // An empty value removes a field: libcurl would declare a form, and would wait before it sends a long body.
        for (name, value) in ["Content-Type": "", "Expect": ""].merging(request.headers, uniquingKeysWith: { $1 }) {
            try addField(name, value)
        }
        try set(CURLOPT_HTTPHEADER, fields)
    }

    private func addField(_ name: String, _ value: String) throws(HTTPFailure) {
        let field = "\(name): \(value)"
        // A line end would begin another field.
        guard !field.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
            let longer = curl_slist_append(fields, field)
        else { throw .other(reason: "the header field \(name) cannot be sent") }
        fields = longer
    }

    private func setReceiver(_ arrivals: Arrivals) throws(HTTPFailure) {
        let context = Unmanaged.passUnretained(arrivals).toOpaque()
        try set(CURLOPT_HEADERDATA, context)
        try set(CURLOPT_WRITEDATA, context)
        // A result that differs from the number of bytes ends the transfer.
        let takeLine = ccurl_set_function(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            Arrivals.at(context).take(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        try check(takeLine)
        let takeBody = ccurl_set_function(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Arrivals.at(context).take(part) ? part.count : 0
        }
        try check(takeBody)
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
        try check(ccurl_set_number(handle, option, value))
    }

    private func set(_ option: CURLoption, _ value: UnsafeRawPointer?) throws(HTTPFailure) {
        try check(ccurl_set_pointer(handle, option, value))
    }

    private func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else { throw .other(reason: text(code)) }
    }
}

extension EasyHandle {
    /// How many bytes have been transferred, in both directions; 0 until the connection is established.
    var transferred: Int { Int(ccurl_transferred(handle)) }

    /// The value of a header field of the response; `nil` if the server sent none.
    func header(_ name: String) -> String? {
        var header: UnsafeMutablePointer<curl_header>?
        guard curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK else { return nil }
        return header.map { String(cString: $0.pointee.value) }
    }

    /// The reason why a transfer failed; `nil` if it succeeded.
    func failure(_ code: CURLcode) -> HTTPFailure? {
        switch code {
        case CURLE_OK: nil
        // This can only be the time-out for connecting, because no other one is set.
        case CURLE_OPERATION_TIMEDOUT: .connectTimeout
        case CURLE_GOT_NOTHING: .noAnswer
        case CURLE_COULDNT_RESOLVE_HOST: .notConnected(reason: text(code))
        case CURLE_COULDNT_CONNECT: .notConnected(reason: systemError ?? text(code))
        default: .other(reason: text(code))
        }
    }

    private func text(_ code: CURLcode) -> String {
        String(cString: errorText[0] == 0 ? curl_easy_strerror(code) : UnsafePointer(errorText))
    }

    private var systemError: String? {
        let error = ccurl_errno(handle)
        return error == 0 ? nil : String(cString: strerror(error))
    }
}
