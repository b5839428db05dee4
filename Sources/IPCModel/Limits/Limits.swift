/// The limits of the broker. `dbus/ipc-broker.conf` describes each of them.
///
/// The broker makes one value at its start, from the defaults here, the configuration and the command line.
/// ``Limits/all`` gives each limit its name on the wire and its range.
package struct Limits: Sendable, Hashable {
    // Messages

    /// Bytes of all inline values of a message, and of all of a version that are not passed as descriptors.
    package var inlineMessageBytes: UInt64 = 16_777_216
    /// Bytes of a value; a reader that takes descriptors gets one for a larger value.
    package var inlineValueBytes: UInt64 = 65_536
    /// Descriptors of a message; the stock bus disconnects the sender of one more.
    package var descriptorsPerMessage: UInt64 = 16
    package var urlBytes = UInt64(URLText.maximumBytes)
    package var annotationBytes: UInt64 = 16_384
    package var pageRows: UInt64 = 1_000
    /// Names of pasteboards, or content types, in the arguments of one call.
    package var namesPerCall: UInt64 = 1_000
    /// Rows of a page, even if the caller asks for more.
    package var pageRowsMost: UInt64 = 1_000
    /// Pasteboards that the introspection of their parent lists.
    package var introspectedPasteboards: UInt64 = 1_000
    /// `PropertiesChanged` signals a second of all pasteboards together.
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
    /// Bytes of all versions: 64 GiB.
    package var storedBytes: UInt64 = 68_719_476_736
    /// Bytes of the versions that one source has written: 32 GiB.
    package var storedBytesPerSource: UInt64 = 34_359_738_368
    /// Bytes of all versions of pasteboards that are not persistent, in memory: 4 GiB.
    package var memoryBytes: UInt64 = 4_294_967_296
    /// Bytes of one value: 4 GiB and a page, so that a file of 4 GiB passes.
    package var valueBytes: UInt64 = 4_294_971_392
    /// Open descriptors of values that are arriving or in memory, of all callers.
    package var descriptors: UInt64 = 16_384
    package var descriptorsPerCaller: UInt64 = 128
    package var itemsPerVersion: UInt64 = 65_535
    package var representationsPerVersion: UInt64 = 65_535
    /// Promises of a version of a pasteboard that are not fulfilled.
    package var promisesPerVersion: UInt64 = 256
    /// Earlier versions that a pasteboard keeps by default, and the limit of its `HistoryLimit`.
    package var history: UInt64 = 1
    package var historyMost: UInt64 = 100
    /// Removals of pasteboards that are remembered for watchers.
    package var removalsKept: UInt64 = 10_000
    /// Milliseconds after which a sensitive item is removed.
    package var sensitiveMilliseconds: UInt64 = 60_000
    /// Milliseconds in which a writer has to deliver a promised value.
    package var promiseMilliseconds: UInt64 = 10_000
    /// Seconds for which a repeated call with the same id gets the same result.
    package var operationKeptSeconds: UInt64 = 600
    /// Calls that wait for the next change, of all callers and of one caller.
    package var watchers: UInt64 = 10_000
    package var watchersPerCaller: UInt64 = 4_096

    // Schemes

    package var schemesPerApplication: UInt64 = 1_024
    package var schemes: UInt64 = 200_000
    package var schemeDefaults: UInt64 = 10_000
    /// Requests in flight to one handler that asks for more than one.
    package var windowMost: UInt64 = 1_024

    // Requests

    /// Milliseconds from acceptance to the end of a request whose sender states none; see ``RequestTimeout``.
    package var requestTimeoutMilliseconds: UInt64 = 20_000
    /// Milliseconds for which a call waits for a change or an outcome if it states none.
    package var waitTimeoutMilliseconds: UInt64 = 20_000
    /// Milliseconds in which a handler that is started has to own its name.
    package var activationMilliseconds: UInt64 = 15_000
    /// Starts of one handler within ``activationPeriodMilliseconds`` before it gets a pause.
    package var activationStarts: UInt64 = 5
    package var activationPeriodMilliseconds: UInt64 = 10_000
    /// Milliseconds from acceptance to delivery of a queued request whose sender states none: 7 days, and at most 30 days.
    package var timeToLiveMilliseconds: UInt64 = 604_800_000
    package var timeToLiveMostMilliseconds: UInt64 = 2_592_000_000
    /// Crashes of a handler with one request alone after which that request is parked (dead-lettered). The wire says
    /// `attempts`.
    package var crashesPerRequest: UInt64 = 3
    /// Handlers that open each other's URLs in a row.
    package var loopDepth: UInt64 = 8
    package var pendingRequests: UInt64 = 50_000
    package var pendingRequestsPerSource: UInt64 = 10_000
    package var pendingRequestsPerHandler: UInt64 = 20_000
    /// Calls that wait for the end of a request of another call, of all callers and of one caller.
    package var requestWaiters: UInt64 = 10_000
    package var requestWaitersPerCaller: UInt64 = 1_024
    /// Bytes of the payloads of requests that have not ended: 8 GiB.
    package var pendingBytesPerSource: UInt64 = 8_589_934_592
    package var pendingBytesPerHandler: UInt64 = 8_589_934_592
    /// Bytes of the requests whose senders wait in the broker's memory, with URL and payload: 32 MiB.
    package var waitingBytes: UInt64 = 33_554_432
    /// Bytes on the bus to one handler; a single request may be larger: 4 MiB.
    package var bytesInFlight: UInt64 = 4_194_304
    /// Overdue deliveries of a handler, after which it gets no more.
    package var unansweredMost: UInt64 = 64
    /// Milliseconds from delivery to the answer of a queued request whose sender states none: 10 min.
    package var queuedTimeoutMilliseconds: UInt64 = 600_000
    /// Milliseconds of the pause after a failure of a handler; doubled with each failure.
    package var backOffMilliseconds: UInt64 = 100
    /// Milliseconds of the longest pause: 1 min.
    package var backOffMostMilliseconds: UInt64 = 60_000
    /// Steps of a request that its trace keeps, the first and the last ones.
    package var traceSteps: UInt64 = 64
    /// Ended requests of a source whose record is kept, each for ``endedRequestsKeptSeconds``.
    package var endedRequestsKept: UInt64 = 10_000
    package var endedRequestsKeptSeconds: UInt64 = 86_400
    package var replyKeptBytes: UInt64 = 65_536

    // Direct connections

    package var directConnections: UInt64 = 1_000
    package var directConnectionsPerCaller: UInt64 = 4
    /// Milliseconds in which the socket of a direct connection has to be used.
    package var directMilliseconds: UInt64 = 10_000
    /// Unread bytes of all direct connections; one message more passes: 32 MiB, twice the largest answer.
    package var directBytes: UInt64 = 33_554_432
    /// Bytes of incomplete messages of all direct connections; one message more passes: 64 MiB.
    package var directIncomingBytes: UInt64 = 67_108_864
    /// Descriptors of unread and of incomplete messages of all direct connections; those of one message more pass.
    package var directDescriptors: UInt64 = 2_048
    /// Unanswered calls of one direct connection.
    package var directCalls: UInt64 = 16_384

    // Order

    /// Bytes of unfinished calls of all callers; half of them of one caller: 16 MiB.
    package var arrivingBytes: UInt64 = 16_777_216
    /// Calls that wait for an earlier one of the same caller, of all callers; a fourth of them of one caller.
    package var callsInTurn: UInt64 = 16_384

    // Desktop applications

    /// Runs of `ipc-desktop-open` at a time.
    package var desktopQuestions: UInt64 = 4
    /// Runs that wait for their turn; a fourth of them of one caller.
    package var desktopQuestionsWaiting: UInt64 = 256
    /// Milliseconds of a run, which finds a handler or starts it.
    package var desktopMilliseconds: UInt64 = 10_000

    /// The limits of the contract.
    package init() {}
}
