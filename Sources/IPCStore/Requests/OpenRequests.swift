internal import IPCModel

/// Records of requests that began a moment ago, as they were written: most end before another thousand begin, and their
/// rows need not be read again. Emptied when anything is undone.
struct OpenRequests {
    private var records: [Int64: RequestRecord] = [:]

    /// More are not waited for in the moment that is meant.
    private static let most = 1_024
    /// What is longer is read again: all of them take 8 MiB at most.
    private static let mostBytes = 8_192

    var count: Int { records.count }

    subscript(sequence: Int64, id: RequestID) -> RequestRecord? {
        records[sequence].flatMap { $0.id == id ? $0 : nil }
    }

    mutating func keep(_ request: RequestRecord, _ sequence: Int64) {
        guard request.state == .waiting, request.url.utf8.count + (request.context?.count ?? 0) <= Self.mostBytes else {
            return
        }
        if records.count >= Self.most { removeAll() }
        records[sequence] = request
    }

    /// The record that is about to be replaced.
    mutating func take(_ sequence: Int64) -> RequestRecord? { records.removeValue(forKey: sequence) }

    mutating func removeAll() { records.removeAll(keepingCapacity: true) }
}
