/// The refusal of a request for more than a limit allows; nothing of the request has been done.
package struct LimitExceeded: Condition, Hashable {
    /// The name of the limit on the wire, a name of ``Limits/all``.
    package let limit: String
    package let use: UInt64
    /// The amount that was requested in addition to the use.
    package let request: UInt64
    /// The limit for the sum of use and request.
    package let allowed: UInt64

    private let isShare: Bool

    /// - Parameter isShare: whether `allowed` is only a share of the limit. A larger request may succeed later, when
    ///   others use less.
    package init(limit: String, use: UInt64, request: UInt64, allowed: UInt64, isShare: Bool = false) {
        (self.limit, self.use, self.request, self.allowed) = (limit, use, request, allowed)
        self.isShare = isShare
    }

    /// The amount that never fits, whatever other requests release; nil if the request may succeed later.
    private var excess: UInt64? {
        // The content of one version or message does not become less. One of a kind is never too large.
        let isOfOneObject = limit.hasSuffix("-per-version") || limit.hasSuffix("-per-message")
        let amount = isOfOneObject ? use.addingClamped(request) : request
        return amount > max(1, allowed) && !isShare ? amount : nil
    }

    package var ipcError: IPCError {
        let remedy = Limits.row(named: limit).map { "; " + $0.remedy } ?? ""
        if let excess {
            let isSize = limit.contains("bytes")
            let sentence = isSize ? Self.excess(bytes: excess, over: allowed) : "\(excess)\(Self.exceeds)\(allowed)"
            return IPCError(.limitExceeded, "the request is too large: \(sentence) (“\(limit)”)\(remedy)")
        }
        let state = use == 0 ? "\(request) asked for" : "\(use) in use, \(request) more asked for"
        return IPCError(.limitExceeded, "the limit “\(limit)” is reached: \(state), \(allowed) allowed\(remedy)")
    }

    /// The words of every message about a request that can never succeed. A message about a limit that is reached now
    /// does not have them. The error on the bus has one name for both, and its message is its only argument.
    fileprivate static let exceeds = " exceeds the limit of "

    /// `5.0 GiB exceeds the limit of 4 GiB`, with exact numbers if the rounded ones are equal.
    package static func excess(bytes: UInt64, over limit: UInt64) -> String {
        let (size, most) = (ByteSize.text(bytes), ByteSize.text(limit))
        guard size != most else { return "\(bytes) B\(exceeds)\(limit) B" }
        return "\(size)\(exceeds)\(most.replacing(".0 ", with: " "))"
    }
}

extension IPCError {
    /// Whether a request alone exceeds a limit, so that it can never succeed.
    package var isBeyondLimit: Bool { code == .limitExceeded && message.contains(LimitExceeded.exceeds) }
}

extension Limits {
    /// Checks that a request fits a limit in addition to the use.
    package func check(
        _ keyPath: KeyPath<Limits, UInt64>, use: UInt64 = 0, request: UInt64
    ) throws(LimitExceeded) {
        let allowed = number(keyPath)
        let (sum, overflow) = use.addingReportingOverflow(request)
        guard overflow || sum > allowed else { return }
        throw LimitExceeded(limit: name(keyPath), use: use, request: request, allowed: allowed)
    }

    /// Checks that one more waiting thing fits a limit for all callers together, of which one caller may have a fourth.
    package func checkShared(
        _ keyPath: KeyPath<Limits, UInt64>, use: Int, ofCaller: Int
    ) throws(LimitExceeded) {
        try check(keyPath, use: UInt64(use), request: 1)
        let part = max(1, number(keyPath) / 4)
        guard UInt64(ofCaller) < part else {
            throw LimitExceeded(limit: name(keyPath), use: UInt64(ofCaller), request: 1, allowed: part)
        }
    }

    /// Checks a limit that all payers share.
    ///
    /// A payer may hold a fourth, or a single request that is larger. The last fourth is for payers that hold little, so
    /// that a few large ones cannot fill it.
    package func checkShared(
        _ keyPath: KeyPath<Limits, UInt64>, use: UInt64, ofPayer own: UInt64, request: UInt64
    ) throws(LimitExceeded) {
        try check(keyPath, use: use, request: request)
        let allowed = number(keyPath)
        let part = max(1, allowed / 4)
        if own > 0, own.addingClamped(request) > part {
            throw LimitExceeded(limit: name(keyPath), use: own, request: request, allowed: part, isShare: true)
        }
        guard use.addingClamped(request) > allowed - allowed / 4, own.addingClamped(request) > max(1, allowed / 256)
        else { return }
        throw LimitExceeded(limit: name(keyPath), use: use, request: request, allowed: allowed - allowed / 4)
    }

    private func name(_ keyPath: KeyPath<Limits, UInt64>) -> String {
        Self.all.first { $0.keyPath == keyPath }?.name ?? ""
    }

    /// The number at a key path, read by its offset: the runtime follows a key path step by step, which costs too much for
    /// several checks of each request.
    private func number(_ keyPath: KeyPath<Limits, UInt64>) -> UInt64 {
        guard let offset = MemoryLayout<Limits>.offset(of: keyPath) else { return self[keyPath: keyPath] }
        return withUnsafeBytes(of: self) { $0.load(fromByteOffset: offset, as: UInt64.self) }
    }
}
