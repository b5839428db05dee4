internal import IPCModel

/// The steps of a request as bytes (``PackedFields``).
struct PackedTrace {
    let bytes: [UInt8]

    /// The limit of a text of a step; longer ones are cut.
    private static let textBytes = 1_024

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ steps: [TraceStep]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(steps.count * 128)
        for step in steps {
            bytes.append(field: step.kind.rawValue)
            bytes.append(number: step.time)
            bytes.append(number: UInt64(step.attempt))
            bytes.append(field: Self.cut(step.who))
            bytes.append(number: step.size)
            bytes.append(field: Self.cut(step.detail))
        }
        self.bytes = bytes
    }

    /// Nil if the bytes are malformed.
    var steps: [TraceStep]? {
        var fields = PackedFields(bytes)
        var steps: [TraceStep] = []
        while !fields.isAtEnd {
            guard let kind = fields.text().flatMap(TraceStep.Kind.init), let time = fields.number(),
                let attempt = fields.number(), let who = fields.text(), let size = fields.number(),
                let detail = fields.text()
            else { return nil }
            steps.append(
                TraceStep(
                    kind, at: time, attempt: UInt32(truncatingIfNeeded: attempt), who: who, size: size, detail: detail))
        }
        return steps
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > textBytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: textBytes)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text.unicodeScalars[..<end])
    }
}

extension RequestRecord {
    /// Appends steps. If there are more than `most`, the first and the last ones are kept: how it began, and how it ended.
    mutating func append(_ steps: [TraceStep], most: UInt64) {
        trace += steps
        let most = Int(clamping: most)
        guard trace.count > most else { return }
        trace = Array(trace.prefix(most / 2)) + trace.suffix(most - most / 2)
    }
}
