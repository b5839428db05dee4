/// Which writes to the log must be flushed to disk before an answer is sent.
package enum FlushedWrites: Sendable {
    /// All writes that started before the answer. Only the last of these writes is examined: it must have started after
    /// the call arrived.
    ///
    /// This is the strictest rule. It holds for a broker with one request in flight. With several in flight and a
    /// separate store thread, the frames of the next batch may rightly be written while earlier answers are being sent.
    case allBefore
    /// At least one write that started after the call had arrived. Every correct broker satisfies this with any number
    /// of requests in flight, but a flush for another request can hide a missing one.
    case oneSinceCall
    /// The first write after the call had arrived that contains these bytes, which the closure derives from the answer
    /// and its call. This is the exact rule for any number of requests in flight with different contents. The bytes
    /// must be in one page of the store.
    case containing(@Sendable (TracedAnswer) -> [UInt8])
}

/// The result of ``SystemCallRecording/everyAnswerFollowsAFlush(of:writes:where:)``.
package struct FlushCheck: Sendable {
    /// An answer that was sent too early.
    package struct Violation: Sendable, CustomStringConvertible {
        package let answer: TracedAnswer
        /// A description of the violation.
        package let description: String
    }

    /// The number of checked answers. A test compares it with its requests: a check of zero answers succeeds.
    package let answers: Int
    package let violations: [Violation]
}

extension SystemCallRecording {
    /// Checks that no acknowledgement is sent before its changes are on disk.
    ///
    /// For each answer for which `isAcknowledgement` is true, let W be the write to the log that `writes` selects.
    /// For the same file, there must be a successful call to `fdatasync` or `fsync` that starts after W ends, and that
    /// ends before the start of the call that sends the answer's first byte. “Before” is the order in which the tracer saw
    /// the threads stop, which is the order of events.
    ///
    /// All other sent messages need no flush and are skipped: signals, calls to the bus, deliveries to handlers,
    /// answers to reads. A write in progress on another thread at that time counts as started.
    ///
    /// - Parameters:
    ///     - isLog: which files are the write-ahead log; by default, paths that end in `-wal`.
    ///     - writes: which writes must be on disk.
    ///     - isAcknowledgement: which answers acknowledge a change. Exclude those that repeat an earlier answer,
    ///       because they write nothing.
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

    /// An error message if the write to the log, or its flush, did not happen before the answer; otherwise `nil`.
    func missing(for answer: TracedAnswer) -> String? {
        let name = "The answer to \(answer.member ?? "a call") (serial \(answer.answer.message.serial))"
        guard let write = decidingWrite(for: answer) else {
            return "\(name) was sent before its change was written to the log."
        }
        guard isFlushed(write, before: answer.answer.begin) else {
            return "\(name) was sent before a flush that began after the write to \(write.path ?? "the log") of "
                + "\(write.result ?? 0) bytes at \(write.time)."
        }
        return nil
    }

    private func decidingWrite(for answer: TracedAnswer) -> SystemCallEvent? {
        // Writes that began before the call arrived are left out: they cannot contain its change.
        let since = writes.firstIndex(beginningAfter: answer.call?.end ?? -1)
        let until = writes.firstIndex(beginningAfter: answer.answer.begin)
        guard since < until else { return nil }
        let candidates = writes[since..<until]
        switch rule {
        case .allBefore: return candidates.last
        // The write that ended first leaves the most time for a flush.
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
    /// The index of the first event that starts after a position in the trace, found by bisection.
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
    /// Whether the visible part of the call's data contains these bytes.
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
