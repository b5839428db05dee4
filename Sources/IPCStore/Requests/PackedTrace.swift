internal import IPCModel

/// The trace of a request as bytes (``PackedFields``).
extension [TraceStep] {
    var packed: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 128)
        for step in self {
            bytes.append(field: step.kind.rawValue)
            bytes.append(number: step.time.millisecondsSince1970)
            bytes.append(number: UInt64(step.attempt))
            bytes.append(field: step.who.cut)
            bytes.append(number: step.size)
            bytes.append(field: step.detail.cut)
        }
        return bytes
    }

    init?(packed bytes: [UInt8]) {
        self = []
        var fields = PackedFields(bytes)
        while !fields.isAtEnd {
            guard let kind = fields.text().flatMap(TraceStep.Kind.init), let time = fields.number(),
                let attempt = fields.number(), let who = fields.text(), let size = fields.number(),
                let detail = fields.text()
            else { return nil }
            append(
                TraceStep(
                    kind, at: time, attempt: UInt32(truncatingIfNeeded: attempt), who: who, size: size, detail: detail))
        }
    }
}

extension String {
    /// The string, cut to at most 1,024 bytes of UTF-8.
    fileprivate var cut: String {
        guard utf8.count > 1_024 else { return self }
        var end = utf8.index(startIndex, offsetBy: 1_024)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end])
    }
}

extension RequestRecord {
    /// Appends steps. Keeps at most `most`: the first and last ones, which show how the request began and ended.
    mutating func append(_ steps: [TraceStep], most: UInt64) {
        trace += steps
        let most = Int(clamping: most)
        guard trace.count > most else { return }
        trace = Array(trace.prefix(most / 2)) + trace.suffix(most - most / 2)
    }
}
