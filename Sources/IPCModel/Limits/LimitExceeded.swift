/// The refusal of a request for more than a limit allows; nothing of the request has been done.
package struct LimitExceeded: Condition, Hashable {
    /// The name of the limit on the wire, a name of ``Limits/all``.
    package let limit: String
    package let use: UInt64
    /// The amount that was requested in addition to the use.
    package let request: UInt64
    /// The limit for the sum of use and request.
    package let allowed: UInt64

    package init(limit: String, use: UInt64, request: UInt64, allowed: UInt64) {
        (self.limit, self.use, self.request, self.allowed) = (limit, use, request, allowed)
    }

    package var ipcError: IPCError {
        let remedy = Limits.row(named: limit).map { "; " + $0.remedy } ?? ""
        let state = use == 0 ? "\(request) asked for" : "\(use) in use, \(request) more asked for"
        return IPCError(.limitExceeded, "the limit “\(limit)” is reached: \(state), \(allowed) allowed\(remedy)")
    }
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
            throw LimitExceeded(limit: name(keyPath), use: own, request: request, allowed: part)
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
