/// Every number that bounds what the broker takes, keeps and waits for.
///
/// One value of it is made at start, from the defaults here, the configuration and the command line. ``Limits/all``
/// gives each its name on the wire and the range in which it may be set.
package struct Limits: Sendable, Hashable {
    // Messages

    /// Bytes of all inline values of a message, and of all of a version that are not passed as descriptors.
    package var inlineMessageBytes: UInt64 = 16_777_216
    /// Bytes of a value; of a larger one a reader who takes descriptors gets a descriptor.
    package var inlineValueBytes: UInt64 = 65_536
    /// Descriptors of a message; the stock bus throws out the sender of one more.
    package var descriptorsPerMessage: UInt64 = 16
    /// Bytes of UTF-8 of a URL.
    package var urlBytes = UInt64(URLText.maximumBytes)
    /// Bytes of a request's annotation as D-Bus marshals it.
    package var annotationBytes: UInt64 = 16_384
    /// Rows of a page that the caller sets no limit for.
    package var pageRows: UInt64 = 1_000
    /// Names of pasteboards, or content types, in the arguments of one call.
    package var namesPerCall: UInt64 = 1_000
    /// Rows of a page, whatever the caller asks for.
    package var pageRowsMost: UInt64 = 1_000
    /// Pasteboards that the introspection of their parent lists.
    package var introspectedPasteboards: UInt64 = 1_000
    /// `PropertiesChanged` signals a second of all pasteboards together.
    package var propertySignalsPerSecond: UInt64 = 50

    // Names

    /// Bytes of an application id.
    package var applicationBytes = UInt64(ApplicationID.maximumBytes)
    /// Bytes of a scheme.
    package var schemeBytes = UInt64(URLScheme.maximumBytes)
    /// Bytes of UTF-8 of a pasteboard's name.
    package var pasteboardNameBytes = UInt64(PasteboardName.maximumBytes)
    /// Bytes of a content type.
    package var contentTypeBytes = UInt64(ContentType.maximumBytes)

    // Pasteboards

    /// Pasteboards in the store and in memory together.
    package var pasteboards: UInt64 = 100_000
    /// Pasteboards that one source has made.
    package var pasteboardsPerSource: UInt64 = 20_000
    /// Items of all versions that are kept.
    package var items: UInt64 = 10_000_000
    /// Items of the versions that one source has written.
    package var itemsPerSource: UInt64 = 5_000_000
    /// Bytes of all versions that are kept: 64 GiB.
    package var storedBytes: UInt64 = 68_719_476_736
    /// Bytes of the versions that one source has written: 32 GiB.
    package var storedBytesPerSource: UInt64 = 34_359_738_368
    /// Bytes of all versions of pasteboards that are not persistent, in memory: 4 GiB.
    package var memoryBytes: UInt64 = 4_294_967_296
    /// Bytes of one value: 4 GiB and a page, so that a file of 4 GiB passes.
    package var valueBytes: UInt64 = 4_294_971_392
    /// Descriptors that the broker has open for values which are arriving or in memory, of all callers.
    package var descriptors: UInt64 = 16_384
    /// Descriptors of values of one caller that are arriving.
    package var descriptorsPerCaller: UInt64 = 128
    /// Items of a version of a pasteboard.
    package var itemsPerVersion: UInt64 = 65_535
    /// Representations of all items of a version of a pasteboard.
    package var representationsPerVersion: UInt64 = 65_535
    /// Promises of a version of a pasteboard that are not fulfilled.
    package var promisesPerVersion: UInt64 = 256
    /// Earlier versions that a pasteboard keeps where nobody sets its `HistoryLimit`.
    package var history: UInt64 = 1
    /// Earlier versions that a pasteboard can be told to keep.
    package var historyMost: UInt64 = 100
    /// Removals of pasteboards that are remembered for those who watch.
    package var removalsKept: UInt64 = 10_000
    /// Milliseconds for which a sensitive item is kept at most.
    package var sensitiveMilliseconds: UInt64 = 60_000
    /// Milliseconds in which a writer has to give what it has promised.
    package var promiseMilliseconds: UInt64 = 10_000
    /// Seconds for which a repeated call with the same id gets the same result.
    package var operationKeptSeconds: UInt64 = 600
    /// Questions for the next change that are open at a time, of all callers.
    package var watchers: UInt64 = 10_000
    /// Questions for the next change that are open at a time, of one caller.
    package var watchersPerCaller: UInt64 = 4_096

    // Schemes

    /// Schemes that one application may claim.
    package var schemesPerApplication: UInt64 = 1_024
    /// Claims of all applications.
    package var schemes: UInt64 = 200_000
    /// Schemes for which the user has chosen an application.
    package var schemeDefaults: UInt64 = 10_000
    /// Requests in flight to one handler, where it asks for more than one.
    package var windowMost: UInt64 = 1_024

    // Requests

    /// Milliseconds from acceptance to the end of a request whose sender states none.
    package var requestTimeoutMilliseconds: UInt64 = 20_000
    /// Milliseconds that a question for a change or an outcome stays open where the caller states none.
    package var waitTimeoutMilliseconds: UInt64 = 20_000
    /// Milliseconds in which a handler that is started has to own its name.
    package var activationMilliseconds: UInt64 = 15_000
    /// Starts of one handler within ``activationPeriodMilliseconds`` before it is not started again for a while.
    package var activationStarts: UInt64 = 5
    /// Milliseconds over which ``activationStarts`` counts.
    package var activationPeriodMilliseconds: UInt64 = 10_000
    /// Milliseconds that a queued request lives where its sender states none: 7 days.
    package var timeToLiveMilliseconds: UInt64 = 604_800_000
    /// Milliseconds that a queued request may live: 30 days.
    package var timeToLiveMostMilliseconds: UInt64 = 2_592_000_000
    /// Crashes of a handler with one request alone after which that request is parked (dead-lettered). The wire says
    /// `attempts`.
    package var crashesPerRequest: UInt64 = 3
    /// Handlers that may open each other's URLs in a row.
    package var loopDepth: UInt64 = 8
    /// Requests that have not ended, of all sources.
    package var pendingRequests: UInt64 = 50_000
    /// Requests that have not ended, of one source.
    package var pendingRequestsPerSource: UInt64 = 10_000
    /// Requests that have not ended, for one handler.
    package var pendingRequestsPerHandler: UInt64 = 20_000
    /// Calls that wait for the end of a request of another call, of all callers.
    package var requestWaiters: UInt64 = 10_000
    /// Calls that wait for the end of a request of another call, of one caller.
    package var requestWaitersPerCaller: UInt64 = 1_024
    /// Bytes of the payloads of requests that have not ended, of one source: 8 GiB.
    package var pendingBytesPerSource: UInt64 = 8_589_934_592
    /// Bytes of the payloads of requests that have not ended, for one handler: 8 GiB.
    package var pendingBytesPerHandler: UInt64 = 8_589_934_592
    /// Bytes that requests whose senders wait take in the broker's memory, URL, payload and all else: 32 MiB.
    package var waitingBytes: UInt64 = 33_554_432
    /// Bytes that are on the bus to one handler, unless it is one request alone: 4 MiB.
    package var bytesInFlight: UInt64 = 4_194_304
    /// Requests that a handler may leave unanswered beyond their time before it gets no more.
    package var unansweredMost: UInt64 = 64
    /// Milliseconds that a handler has for the answer to a queued request whose sender states none: 10 min.
    package var queuedTimeoutMilliseconds: UInt64 = 600_000
    /// Milliseconds before a handler that could not be started, or left without an answer, is started again; doubled
    /// with each failure.
    package var backOffMilliseconds: UInt64 = 100
    /// Milliseconds to which the time between starts grows at most: 1 min.
    package var backOffMostMilliseconds: UInt64 = 60_000
    /// Steps of a request that its trace keeps: the first and the last ones.
    package var traceSteps: UInt64 = 64
    /// Ended requests of a source whose record is kept.
    package var endedRequestsKept: UInt64 = 10_000
    /// Seconds for which the record of an ended request is kept.
    package var endedRequestsKeptSeconds: UInt64 = 86_400
    /// Bytes of a reply that is kept with the record of its request.
    package var replyKeptBytes: UInt64 = 65_536

    // Direct connections

    /// Direct connections, of all callers.
    package var directConnections: UInt64 = 1_000
    /// Direct connections of one caller.
    package var directConnectionsPerCaller: UInt64 = 4
    /// Milliseconds in which the socket of a direct connection has to be used.
    package var directMilliseconds: UInt64 = 10_000
    /// Bytes that wait because those on direct connections do not read, of all of them; a message more is let pass:
    /// 32 MiB, twice the largest answer.
    package var directBytes: UInt64 = 33_554_432
    /// Bytes of messages that have not come whole over direct connections, of all of them; a message more is let pass:
    /// 64 MiB.
    package var directIncomingBytes: UInt64 = 67_108_864
    /// Descriptors that wait because those on direct connections do not read, or belong to messages that have not come
    /// whole, of all of them; those of a message more are let pass.
    package var directDescriptors: UInt64 = 2_048
    /// Calls of one direct connection that have not been answered.
    package var directCalls: UInt64 = 16_384

    // Order

    /// Bytes of calls that have come and are not finished, of all callers; half of them of one caller: 16 MiB.
    package var arrivingBytes: UInt64 = 16_777_216
    /// Calls that wait behind an earlier one of the same caller, of all callers; a fourth of them of one.
    package var callsInTurn: UInt64 = 16_384

    // Programs of the desktop

    /// Runs of `ipc-desktop-open` at a time.
    package var desktopQuestions: UInt64 = 4
    /// Questions to it that wait for their turn; a fourth of them of one caller.
    package var desktopQuestionsWaiting: UInt64 = 256
    /// Milliseconds that it has to find a handler, or to start it.
    package var desktopMilliseconds: UInt64 = 10_000

    /// The limits of the contract.
    package init() {}
}
