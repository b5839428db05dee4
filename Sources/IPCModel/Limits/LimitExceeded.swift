/// The error of a request that exceeds a limit. No part of the request was carried out.
package struct LimitExceeded: Condition, Hashable {
    /// The name of the limit on the wire; one of the names in ``Limits/all``.
    package let limit: String
    package let use: UInt64
    /// The amount that was requested in addition to the amount in use.
    package let request: UInt64
    /// The highest allowed sum of ``use`` and ``request``.
    package let allowed: UInt64

    private let isShare: Bool

    /// - Parameter isShare: whether `allowed` is only a share of the limit. If so, even a request above `allowed` may
    ///   succeed later, when less of the limit is in use.
    package init(limit: String, use: UInt64, request: UInt64, allowed: UInt64, isShare: Bool = false) {
        (self.limit, self.use, self.request, self.allowed) = (limit, use, request, allowed)
        self.isShare = isShare
    }

    /// The requested amount, if it can never fit, no matter what is released; `nil` if the request may succeed later.
    private var excess: UInt64? {
        // A version or message never shrinks, so the amount that is already in it counts too. For any other limit, a
        // request for one unit may succeed later, even if the limit is 0: a call that need not wait takes no unit.
        let isOfOneObject = limit.hasSuffix("-per-version") || limit.hasSuffix("-per-message")
        let amount = isOfOneObject ? use.addingClamped(request) : request
        return amount > max(isOfOneObject ? 0 : 1, allowed) && !isShare ? amount : nil
    }

    package var ipcError: IPCError {
        let row = Limits.row(named: limit)
        if let excess {
            let remedy = row.map { "; " + $0.remedyIfTooLarge } ?? ""
            let isSize = limit.contains("bytes")
            let sentence = isSize ? Self.excess(bytes: excess, over: allowed) : "\(excess)\(Self.exceeds)\(allowed)"
            return IPCError(.limitExceeded, "the request is too large: \(sentence) (“\(limit)”)\(remedy)")
        }
        let remedy = row.map { "; " + $0.remedy } ?? ""
        let state = use == 0 ? "\(request) requested" : "\(use) in use, \(request) more requested"
        return IPCError(.limitExceeded, "the limit “\(limit)” is reached: \(state), \(allowed) allowed\(remedy)")
    }

    /// This text in the message is the only sign that a request can never succeed. The error for a limit that is
    /// currently reached has the same D-Bus name, and the message is the only argument of both errors.
    fileprivate static let exceeds = " exceeds the limit of "

    /// Returns text such as `5.0 GiB exceeds the limit of 4 GiB`, with exact numbers if the rounded ones are equal.
    package static func excess(bytes: UInt64, over limit: UInt64) -> String {
        let (size, most) = (ByteSize.text(bytes), ByteSize.text(limit))
        guard size != most else { return "\(bytes) B\(exceeds)\(limit) B" }
        return "\(size)\(exceeds)\(most.replacing(".0 ", with: " "))"
    }
}

extension IPCError {
    /// Whether the request by itself exceeds a limit and so can never succeed.
    package var isBeyondLimit: Bool { code == .limitExceeded && message.contains(LimitExceeded.exceeds) }
}

extension Limits {
    package func check(
        _ keyPath: KeyPath<Limits, UInt64>, use: UInt64 = 0, request: UInt64
    ) throws(LimitExceeded) {
        let allowed = number(keyPath)
        let (sum, overflow) = use.addingReportingOverflow(request)
        guard overflow || sum > allowed else { return }
        throw LimitExceeded(limit: name(keyPath), use: use, request: request, allowed: allowed)
    }

    /// Checks a limit on the number of waiting operations. All callers share it; each may use at most a quarter of it.
    package func checkShared(
        _ keyPath: KeyPath<Limits, UInt64>, use: Int, ofCaller: Int
    ) throws(LimitExceeded) {
        try check(keyPath, use: UInt64(use), request: 1)
        let part = max(1, number(keyPath) / 4)
        guard UInt64(ofCaller) < part else {
            throw LimitExceeded(limit: name(keyPath), use: UInt64(ofCaller), request: 1, allowed: part)
        }
    }

    /// Checks a limit that all charged accounts share. An account may use at most a quarter of it, or have one larger
    /// request. Only accounts that use little may use the last quarter, so a few large ones cannot use up the limit.
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

    package func name(_ keyPath: KeyPath<Limits, UInt64>) -> String {
        Self.all.first { $0.keyPath == keyPath }?.name ?? ""
    }

    /// Reads a limit by its offset in memory. Access by key path is too slow for the checks of each request.
    private func number(_ keyPath: KeyPath<Limits, UInt64>) -> UInt64 {
        guard let offset = MemoryLayout<Limits>.offset(of: keyPath) else { return self[keyPath: keyPath] }
        return withUnsafeBytes(of: self) { $0.load(fromByteOffset: offset, as: UInt64.self) }
    }
}
