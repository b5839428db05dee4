internal import IPCModel

extension RequestRecord {
    func columns(_ sequence: Int64, replyKeptBytes: UInt64) -> [SQLValue] {
        let version: SQLValue = lacksPayload ? .integer(-1) : .number(payloadVersion)
        var columns: [SQLValue] = [
            .integer(sequence), .text(id.text), .integer(state.rawValue), .text(outcome?.rawValue),
            .text(lateOutcome?.rawValue),
            .integer(source.strength.number), .text(source.application), .number(ended), .bytes(arguments.bytes),
            .text(caller), .text(application.text), .text(pasteboard?.text), .number(changeCount ?? 0), version,
            .number(UInt64(payload?.items ?? 0)), .number(payload?.bytes ?? 0), .number(UInt64(attempts)),
            .number(UInt64(crashes)), .number(timeout), .text(parent?.text), .number(UInt64(depth)),
            .number(accepted), .number(expiresAt), .text(failure.name), .text(failure.code),
            .text(failure.message), .text(url), .bytes(context), .bytes(trace.packed),
            .bytes(reply.packed(most: replyKeptBytes)), .null,
        ]
        columns[30] = Checksum.of(columns, first: 30, in: .openRequest)
        return columns
    }

    /// Reads a row of `SELECT *`; `nil` if it is damaged.
    init?(_ row: SQLRow) {
        self.init(withoutReply: row)
        guard let reply = [PasteboardItem](packed: row.bytes(29)) else { return nil }
        self.reply = reply
    }

    /// Reads a row of `SELECT *` without its reply and trace; `nil` if the row is damaged.
    init?(outline row: SQLRow) {
        self.init(withoutReply: row)
        trace = []
    }

    /// Attempts, crashes and depths are far below this limit, so adding one never overflows.
    private static let mostCounted: Int64 = 1 << 30

    /// A row whose checksum is right is still damaged if a value is none that the broker accepts from a caller.
    private init?(withoutReply row: SQLRow) {
        guard row.isIntact(.openRequest, checksum: 30), let id = try? RequestID(row.text(1)),
            let state = State(rawValue: row.integer(2)), let arguments = ContentDigest(stored: row.raw(8)),
            let source = Source(stored: row.text(6), strength: row.integer(5)),
            let application = try? ApplicationID(row.text(10)), let url = try? URLText(row.text(26)),
            let trace = [TraceStep](packed: row.bytes(28)), state == .ended || row.isNull(29)
        else { return nil }
        self.init(
            id: id, arguments: arguments, state: state, source: source, caller: row.text(9), application: application,
            url: url.text,
            pasteboard: row.isNull(11) ? nil : try? PasteboardName(row.text(11)),
            changeCount: row.number(12) == 0 ? nil : row.number(12), timeout: row.number(18),
            parent: row.isNull(19) ? nil : try? RequestID(row.text(19)),
            depth: UInt32(truncatingIfNeeded: row.integer(20)), accepted: row.number(21),
            expiresAt: row.isNull(22) ? nil : row.number(22), context: row.isNull(27) ? nil : row.bytes(27))
        outcome = row.isNull(3) ? nil : Outcome(rawValue: row.text(3))
        lateOutcome = row.isNull(4) ? nil : Outcome(rawValue: row.text(4))
        ended = row.isNull(7) ? nil : row.number(7)
        lacksPayload = row.integer(13) == -1
        if row.integer(13) > 0 {
            payloadVersion = row.number(13)
            payload = Payload(items: UInt32(truncatingIfNeeded: row.integer(14)), bytes: row.number(15))
        }
        attempts = UInt32(truncatingIfNeeded: row.integer(16))
        crashes = UInt32(truncatingIfNeeded: row.integer(17))
        failure = RequestEnd.Failure(name: row.text(23), code: row.text(24), message: row.text(25))
        self.trace = trace
        guard [16, 17, 20].allSatisfy({ row.integer($0) <= Self.mostCounted }),
            row.isNull(3) == (outcome == nil), row.isNull(4) == (lateOutcome == nil),
            row.isNull(11) == (pasteboard == nil), row.isNull(19) == (parent == nil)
        else { return nil }
    }
}
