/// The limits of the broker. When it starts, it takes them from the defaults here, the configuration and the command
/// line. `dbus/ipc-broker.conf` describes each limit; tests check that this file matches the type. ``Limits/all`` gives
/// each limit a name on the wire and a range.
package struct Limits: Sendable, Hashable {
    // Messages

    /// Bytes of all inline values in a message, and of all values in a version that are not passed as descriptors.
    package var inlineMessageBytes: UInt64 = 16 << 20
    /// Bytes of an inline value. A larger value is passed as a descriptor if the reader accepts descriptors.
    package var inlineValueBytes: UInt64 = 65_536
    /// Descriptors in a message. A bus with default settings disconnects a sender that passes more.
    package var descriptorsPerMessage: UInt64 = 16
    package var urlBytes = UInt64(URLText.maximumBytes)
    package var annotationBytes: UInt64 = 16_384
    package var pageRows: UInt64 = 1_000
    package var namesPerCall: UInt64 = 1_000
    package var pageRowsMost: UInt64 = 1_000
    package var introspectedPasteboards: UInt64 = 1_000
    package var propertySignalsPerSecond: UInt64 = 50

    // Names

    package var applicationBytes = UInt64(ApplicationID.maximumBytes)
    package var schemeBytes = UInt64(URLScheme.maximumBytes)
    package var pasteboardNameBytes = UInt64(PasteboardName.maximumBytes)
    package var contentTypeBytes = UInt64(ContentType.maximumBytes)

    // Pasteboards

    package var pasteboards: UInt64 = 100_000
    package var pasteboardsPerSource: UInt64 = 20_000
    package var items: UInt64 = 10_000_000
    package var itemsPerSource: UInt64 = 5_000_000
    package var storedBytes: UInt64 = 64 << 30
    package var storedBytesPerSource: UInt64 = 32 << 30
    package var memoryBytes: UInt64 = 4 << 30
    /// 4 GiB and one page of 4 KiB.
    package var valueBytes: UInt64 = 4 << 30 + 4_096
    package var descriptors: UInt64 = 16_384
    package var descriptorsPerCaller: UInt64 = 128
    /// Writing this many small items at once keeps the store busy for 30 to 110 ms, mostly while SQLite writes rows.
    package var itemsPerVersion: UInt64 = 16_384
    package var representationsPerVersion: UInt64 = 16_384
    package var promisesPerVersion: UInt64 = 256
    package var history: UInt64 = 1
    package var historyMost: UInt64 = 100
    package var generalHistory: UInt64 = 20
    package var generalHistoryBytes: UInt64 = 256 << 20
    package var removalsKept: UInt64 = 10_000
    package var sensitiveMilliseconds: UInt64 = 60_000
    package var promiseMilliseconds: UInt64 = 10_000
    package var promisedReads: UInt64 = 1_024
    package var operationKeptSeconds: UInt64 = 600
    package var watchers: UInt64 = 10_000
    package var watchersPerCaller: UInt64 = 4_096

    // Schemes

    package var schemesPerApplication: UInt64 = 1_024
    package var schemes: UInt64 = 200_000
    package var schemeDefaults: UInt64 = 10_000
    package var windowMost: UInt64 = 1_024

    // Requests

    /// Milliseconds from acceptance to the end of a request, unless its sender sets a time; see ``RequestTimeout``.
    package var requestTimeoutMilliseconds: UInt64 = 20_000
    package var waitTimeoutMilliseconds: UInt64 = 20_000
    package var activationMilliseconds: UInt64 = 15_000
    package var activationStarts: UInt64 = 5
    package var activationPeriodMilliseconds: UInt64 = 10_000
    /// Milliseconds from acceptance to delivery of a queued request: 7 days by default, and at most 30 days.
    package var timeToLiveMilliseconds: UInt64 = 604_800_000
    package var timeToLiveMostMilliseconds: UInt64 = 2_592_000_000
    /// How often a handler may crash while a request is the only one in flight, before that request is parked
    /// (dead-lettered). The name of this limit on the wire is `attempts`.
    package var crashesPerRequest: UInt64 = 3
    package var loopDepth: UInt64 = 8
    package var pendingRequests: UInt64 = 50_000
    package var pendingRequestsPerSource: UInt64 = 10_000
    package var pendingRequestsPerHandler: UInt64 = 20_000
    package var requestWaiters: UInt64 = 10_000
    package var requestWaitersPerCaller: UInt64 = 1_024
    package var pendingBytesPerSource: UInt64 = 8 << 30
    package var pendingBytesPerHandler: UInt64 = 8 << 30
    package var waitingBytes: UInt64 = 32 << 20
    /// Bytes in flight to one handler on the bus. A single request may be larger.
    package var bytesInFlight: UInt64 = 4 << 20
    package var unansweredMost: UInt64 = 64
    /// Milliseconds from the delivery of a queued request to its answer, unless its sender sets a time: 10 min.
    package var queuedTimeoutMilliseconds: UInt64 = 600_000
    package var backOffMilliseconds: UInt64 = 100
    package var backOffMostMilliseconds: UInt64 = 60_000
    package var traceSteps: UInt64 = 64
    package var endedRequestsKept: UInt64 = 10_000
    package var endedRequestsKeptSeconds: UInt64 = 86_400
    package var replyKeptBytes: UInt64 = 65_536

    // Direct connections

    package var directConnections: UInt64 = 1_000
    package var directConnectionsPerCaller: UInt64 = 4
    package var directMilliseconds: UInt64 = 10_000
    /// Bytes of messages that callers on direct connections have not read yet: twice the size of the largest answer.
    package var directBytes: UInt64 = 32 << 20
    package var directIncomingBytes: UInt64 = 64 << 20
    package var directDescriptors: UInt64 = 2_048
    package var directCalls: UInt64 = 16_384

    // Order

    package var arrivingBytes: UInt64 = 16 << 20
    package var callsInTurn: UInt64 = 16_384

    // Desktop applications

    package var desktopQuestions: UInt64 = 4
    package var desktopQuestionsWaiting: UInt64 = 256
    package var desktopMilliseconds: UInt64 = 10_000

    package init() {}

    /// The time-out in milliseconds for awaiting a request or a change; by default ``waitTimeoutMilliseconds``.
    package func waitTime(stated: UInt32?) -> UInt64 { stated.map(UInt64.init) ?? waitTimeoutMilliseconds }
}
