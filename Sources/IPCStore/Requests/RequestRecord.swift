package import IPCModel

/// An open request as the store keeps it, of a sender who gave it an id.
package struct RequestRecord: Sendable, Hashable {
    /// How far a request has come.
    package enum State: Int64, Sendable, CaseIterable {
        /// Accepted, and its sender waits.
        case waiting = 0
        /// Accepted, and nobody waits.
        case queued = 1
        /// Over; the record has an outcome.
        case ended = 2
    }

    /// Why a request ended as it did; empty where there is nothing to say.
    package struct Failure: Sendable, Hashable {
        /// The name of a D-Bus error.
        package var name: String
        package var code: String
        package var message: String

        package init(name: String = "", code: String = "", message: String = "") {
            (self.name, self.code, self.message) = (name, code, message)
        }
    }

    package let id: RequestID
    /// The digest of what the request was given, by which a repetition is told from a mistake.
    package let arguments: ContentDigest
    package var state: State
    /// How it ended; nil as long as it has not.
    package var outcome: Outcome?
    package let source: Source
    /// The application id of the handler that was fixed at acceptance.
    package let application: String
    /// The URL, where it is to be delivered later.
    package let url: String?
    /// The pasteboard that the payload was set on.
    package let pasteboard: PasteboardName?
    /// The change count that the request is bound to; 0 for none.
    package let changeCount: UInt64
    package var attempts: UInt32
    /// When it was accepted, in milliseconds since 1970.
    package let accepted: UInt64
    /// When it expires undelivered, in milliseconds since 1970.
    package let expiresAt: UInt64?
    /// When it ended, in milliseconds since 1970.
    package var ended: UInt64?
    package var failure = Failure()
    /// What the router keeps with the request; the store does not look into it.
    package let context: [UInt8]?
    /// The reply; empty where there is none, or it is larger than `reply-kept-bytes`.
    package var reply: [PasteboardItem] = []
    /// The change count of a version that is held for the request; 0 for none.
    var payload: UInt64 = 0

    /// A request at its acceptance, in milliseconds since 1970.
    package init(
        id: RequestID, arguments: ContentDigest, state: State = .waiting, source: Source, application: String,
        url: String? = nil, pasteboard: PasteboardName? = nil, changeCount: UInt64 = 0, accepted: UInt64,
        expiresAt: UInt64? = nil, context: [UInt8]? = nil
    ) {
        (self.id, self.arguments, self.state, self.source) = (id, arguments, state, source)
        (self.application, self.url, self.pasteboard) = (application, url, pasteboard)
        (self.changeCount, self.accepted, self.expiresAt) = (changeCount, accepted, expiresAt)
        (self.context, attempts) = (context, 0)
    }
}

/// How a request ended.
package struct RequestEnd: Sendable, Hashable {
    package var outcome: Outcome
    package var attempts: UInt32
    package var failure: RequestRecord.Failure
    package var reply: [PasteboardItem]

    package init(
        _ outcome: Outcome, attempts: UInt32 = 1, failure: RequestRecord.Failure = .init(),
        reply: [PasteboardItem] = []
    ) {
        (self.outcome, self.attempts, self.failure, self.reply) = (outcome, attempts, failure, reply)
    }
}

extension RequestRecord {
    /// The columns of the row without the key before them and the checksum behind them.
    func columns(replyKeptBytes: UInt64) -> [SQLValue] {
        let packed = PackedItems(reply, most: replyKeptBytes)?.bytes
        return [
            .text(id.text), .bytes(arguments.bytes), .integer(state.rawValue), .text(outcome?.rawValue),
            .integer(source.strength.number), .text(source.application), .text(application), .text(url),
            .text(pasteboard?.text), .number(changeCount), .number(payload), .number(UInt64(attempts)),
            .number(accepted), .number(expiresAt), .number(ended), .text(failure.name), .text(failure.code),
            .text(failure.message), .bytes(context), .bytes(packed),
        ]
    }

    /// Reads a row of `SELECT *`; nil where it is damaged.
    init?(_ row: SQLRow) {
        guard row.isIntact(.openRequest, checksum: 21), let id = try? RequestID(row.text(1)),
            let arguments = ContentDigest(stored: row.bytes(2)), let state = State(rawValue: row.integer(3)),
            let strength = SourceStrength(number: row.integer(5)), let reply = PackedItems(bytes: row.bytes(20)).items
        else { return nil }
        self.init(
            id: id, arguments: arguments, state: state,
            source: Source(application: row.text(6), strength: strength), application: row.text(7),
            url: row.isNull(8) ? nil : row.text(8), pasteboard: try? PasteboardName(row.text(9)),
            changeCount: row.number(10), accepted: row.number(13),
            expiresAt: row.isNull(14) ? nil : row.number(14), context: row.isNull(19) ? nil : row.bytes(19))
        outcome = Outcome(rawValue: row.text(4))
        (payload, attempts) = (row.number(11), UInt32(truncatingIfNeeded: row.integer(12)))
        ended = row.isNull(15) ? nil : row.number(15)
        failure = Failure(name: row.text(16), code: row.text(17), message: row.text(18))
        self.reply = reply
    }
}
