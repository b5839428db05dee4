/// Which writes to the log must be on the disk before an answer leaves.
package enum FlushedWrites: Sendable {
    /// All that had begun before the answer: the last of them decides. It must have begun after the call arrived.
    ///
    /// The strictest rule. It holds for a broker with one request in flight; with several in flight and a thread of
    /// its own for the store, the frames of the next batch may rightly be written while answers to the last one leave.
    case allBefore
    /// At least one that began after the call had arrived. Every correct broker fulfils it with any number of requests
    /// in flight; but a flush for another's request can hide that one is missing.
    case oneSinceCall
    /// The first one after the call had arrived that contains these bytes, which the caller finds from the answer and
    /// its call: the exact rule with any number of requests in flight, for contents that differ. The bytes must lie in
    /// one page of the store.
    case containing(@Sendable (TracedAnswer) -> [UInt8])
}

/// What ``SystemCallRecording/everyAnswerFollowsAFlush(of:writes:where:)`` found.
package struct FlushCheck: Sendable {
    /// An answer that left too early.
    package struct Violation: Sendable, CustomStringConvertible {
        package let answer: TracedAnswer
        /// What is missing.
        package let description: String
    }

    /// How many answers were checked. A test compares it with the number of its requests: of no answers all are right.
    package let answers: Int
    package let violations: [Violation]
}

extension SystemCallRecording {
    /// Checks that no acknowledgement leaves before its changes are on the disk.
    ///
    /// For each answer for which `isAcknowledgement` holds: let W be the write to the log that `writes` chooses. There
    /// must be a call of `fdatasync` or `fsync` of the same file that succeeded, began after W had ended, and ended
    /// before the call that sent the answer's first byte began. “Before” is the order in which the tracer saw the
    /// threads stop, which is the order in which things happened.
    ///
    /// Everything else that is sent needs no flush and is passed over: signals, calls to the bus, deliveries to
    /// handlers, answers to reads. A write that another thread was in when the answer left counts as begun.
    ///
    /// - Parameters:
    ///   - isLog: which files are the write-ahead log; without it, paths that end with `-wal`.
    ///   - writes: which writes must be on the disk.
    ///   - isAcknowledgement: which answers acknowledge a change. Not those that repeat an earlier answer: they write
    ///     nothing.
    package func everyAnswerFollowsAFlush(
        of isLog: (String) -> Bool = { $0.hasSuffix("-wal") }, writes: FlushedWrites,
        where isAcknowledgement: (TracedAnswer) -> Bool
    ) -> FlushCheck {
        let log = events.filter { $0.path.map(isLog) ?? false }
        let checker = FlushChecker(
            writes: log.filter { ["write", "pwrite64", "writev", "pwritev", "pwritev2"].contains($0.name) },
            flushes: log.filter { ["fdatasync", "fsync"].contains($0.name) && $0.result == 0 }, rule: writes)
        let acknowledgements = answers.filter(isAcknowledgement)
        return FlushCheck(
            answers: acknowledgements.count,
            violations: acknowledgements.compactMap { answer in
                checker.missing(for: answer).map { FlushCheck.Violation(answer: answer, description: $0) }
            })
    }
}

private struct FlushChecker {
    let writes: [SystemCallEvent]
    let flushes: [SystemCallEvent]
    let rule: FlushedWrites

    /// What is missing for an answer, as a sentence; `nil` when nothing is.
    func missing(for answer: TracedAnswer) -> String? {
        let name = "The answer to \(answer.member ?? "a call") (serial \(answer.answer.message.serial))"
        guard let write = decidingWrite(for: answer) else {
            return "\(name) left before its change was written to the log."
        }
        guard isFlushed(write, before: answer.answer.begin) else {
            return "\(name) left before a flush that began after the write to \(write.path ?? "the log") of "
                + "\(write.result ?? 0) bytes at \(write.time)."
        }
        return nil
    }

    private func decidingWrite(for answer: TracedAnswer) -> SystemCallEvent? {
        // What was there before the call arrived cannot be its change.
        let since = writes.firstIndex(beginningAfter: answer.call?.end ?? -1)
        let until = writes.firstIndex(beginningAfter: answer.answer.begin)
        guard since < until else { return nil }
        let candidates = writes[since..<until]
        switch rule {
        case .allBefore: return candidates.last
        // The one that ended first leaves most time for a flush.
        case .oneSinceCall: return candidates.min { $0.end < $1.end }
        case .containing(let bytes):
            let wanted = bytes(answer)
            return candidates.first { $0.contains(wanted) }
        }
    }

    private func isFlushed(_ write: SystemCallEvent, before send: Int) -> Bool {
        let since = flushes.firstIndex(beginningAfter: write.end)
        return flushes[since...].prefix { $0.begin < send }.contains { $0.path == write.path && $0.end < send }
    }
}

extension [SystemCallEvent] {
    /// The index of the first call that begins after a place in the trace, by bisection.
    fileprivate func firstIndex(beginningAfter place: Int) -> Int {
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = self[middle].begin > place ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
        }
        return range.lowerBound
    }
}

extension SystemCallEvent {
    /// Whether the shown bytes contain these.
    func contains(_ wanted: [UInt8]) -> Bool {
        guard let first = wanted.first else { return true }
        return data.contains { data in
            guard case .bytes(let bytes) = data, bytes.count >= wanted.count else { return false }
            return (0...(bytes.count - wanted.count)).contains {
                bytes[$0] == first && bytes[$0..<($0 + wanted.count)].elementsEqual(wanted)
            }
        }
    }
}
