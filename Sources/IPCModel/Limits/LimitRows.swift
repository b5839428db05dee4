extension Limits {
    /// A limit with its name, range and remedy.
    package struct Row: Sendable {
        /// The name on the wire, in `--limit` and in messages.
        package let name: String
        package let keyPath: any WritableKeyPath<Limits, UInt64> & Sendable
        /// The values that the limit may be set to; a single value if this API or a specification fixes the limit.
        package let range: ClosedRange<UInt64>
        /// What a caller that reaches the limit can do.
        package let remedy: String

        fileprivate init(
            _ name: String, _ keyPath: any WritableKeyPath<Limits, UInt64> & Sendable, _ range: ClosedRange<UInt64>,
            _ remedy: String
        ) {
            (self.name, self.keyPath, self.range, self.remedy) = (name, keyPath, range, remedy)
        }
    }

    private static let raise = "try again later, or let the broker be started with a higher limit"
    private static let split = "use more pasteboards, or fewer values"
    private static let remove = "remove pasteboards that are not needed"
    private static let prune = Advice.keepFewerVersions.rawValue
    /// 1 PiB.
    private static let mostBytes: UInt64 = 1 << 50

    package static let all: [Row] = messageRows + pasteboardRows + requestRows + connectionRows

    private static let messageRows = [
        Row(
            "inline-message-bytes", \.inlineMessageBytes, 1...33_554_432,
            "pass a file descriptor, or ask for one by “fd”"),
        Row("inline-value-bytes", \.inlineValueBytes, 1...33_554_432, "pass a file descriptor"),
        Row("descriptors-per-message", \.descriptorsPerMessage, 0...16, "send fewer descriptors"),
        Row("url-bytes", \.urlBytes, fixed(URLText.maximumBytes), "send the rest as payload"),
        Row("annotation-bytes", \.annotationBytes, 0...1_048_576, "send the rest as payload"),
        Row("page-rows", \.pageRows, 1...100_000, "ask for the next page"),
        Row("page-rows-most", \.pageRowsMost, 1...100_000, "ask for the next page"),
        Row("names-per-call", \.namesPerCall, 1...100_000, "ask for all, or ask several times"),
        Row("introspected-pasteboards", \.introspectedPasteboards, 0...100_000, "use ListPasteboards"),
        Row("property-signals-per-second", \.propertySignalsPerSecond, 1...10_000, "use WaitForChange"),
        Row("application-bytes", \.applicationBytes, fixed(ApplicationID.maximumBytes), "choose a shorter id"),
        Row("scheme-bytes", \.schemeBytes, fixed(URLScheme.maximumBytes), "choose a shorter scheme"),
        Row("pasteboard-name-bytes", \.pasteboardNameBytes, fixed(PasteboardName.maximumBytes), "shorten the name"),
        Row("content-type-bytes", \.contentTypeBytes, fixed(ContentType.maximumBytes), "leave parameters out"),
    ]

    private static let pasteboardRows = [
        Row("pasteboards", \.pasteboards, 1...10_000_000, remove),
        Row("pasteboards-per-source", \.pasteboardsPerSource, 1...10_000_000, remove),
        Row("items", \.items, 1...1_000_000_000, prune),
        Row("items-per-source", \.itemsPerSource, 1...1_000_000_000, prune),
        Row("stored-bytes", \.storedBytes, 1...mostBytes, prune),
        Row("stored-bytes-per-source", \.storedBytesPerSource, 1...mostBytes, prune),
        Row("memory-bytes", \.memoryBytes, 1...mostBytes, "make the pasteboard persistent, or clear others"),
        Row("value-bytes", \.valueBytes, 1...mostBytes, "split the value, or pass its path"),
        Row("descriptors", \.descriptors, 1...1_000_000, raise),
        Row("descriptors-per-caller", \.descriptorsPerCaller, 1...1_000_000, "wait for earlier calls to finish"),
        Row("items-per-version", \.itemsPerVersion, 1...65_535, split),
        Row("representations-per-version", \.representationsPerVersion, 1...65_535, split),
        Row("promises-per-version", \.promisesPerVersion, 0...65_535, "promise fewer types, or give values"),
        Row("history", \.history, 0...100, "set a lower HistoryLimit"),
        Row("history-most", \.historyMost, 0...100, "set a lower HistoryLimit"),
        Row("removals-kept", \.removalsKept, 0...1_000_000, raise),
        Row("sensitive-milliseconds", \.sensitiveMilliseconds, 1...day, raise),
        Row("promise-milliseconds", \.promiseMilliseconds, 1...day, raise),
        Row("promised-reads", \.promisedReads, 1...1_000_000, raise),
        Row("operation-kept-seconds", \.operationKeptSeconds, 1...86_400, raise),
        Row("watchers", \.watchers, 1...1_000_000, raise),
        Row("watchers-per-caller", \.watchersPerCaller, 1...1_000_000, "watch several pasteboards with one call"),
        Row("schemes-per-application", \.schemesPerApplication, 1...1_000_000, "unregister schemes first"),
        Row("schemes", \.schemes, 1...10_000_000, "unregister schemes first"),
        Row("scheme-defaults", \.schemeDefaults, 1...1_000_000, "forget choices that are not needed"),
        Row("window-most", \.windowMost, 1...65_535, "ask for a smaller window"),
    ]

    private static let requestRows = [
        Row("request-timeout-milliseconds", \.requestTimeoutMilliseconds, 1...day, raise),
        Row("wait-timeout-milliseconds", \.waitTimeoutMilliseconds, 1...day, raise),
        Row("activation-milliseconds", \.activationMilliseconds, 1...day, raise),
        Row("activation-starts", \.activationStarts, 1...1_000, raise),
        Row("activation-period-milliseconds", \.activationPeriodMilliseconds, 1...day, raise),
        Row("time-to-live-milliseconds", \.timeToLiveMilliseconds, 1...30 * day, "set a shorter time"),
        Row("time-to-live-most-milliseconds", \.timeToLiveMostMilliseconds, 1...30 * day, "set a shorter time"),
        Row("attempts", \.crashesPerRequest, 1...100, raise),
        Row("loop-depth", \.loopDepth, 1...64, "do not open a URL of a handler that waits for you"),
        Row("pending-requests", \.pendingRequests, 1...10_000_000, raise),
        Row("pending-requests-per-source", \.pendingRequestsPerSource, 1...10_000_000, raise),
        Row("pending-requests-per-handler", \.pendingRequestsPerHandler, 1...10_000_000, raise),
        Row("request-waiters", \.requestWaiters, 1...1_000_000, raise),
        Row("request-waiters-per-caller", \.requestWaitersPerCaller, 1...1_000_000, "wait for answers first"),
        Row("pending-bytes-per-source", \.pendingBytesPerSource, 1...mostBytes, raise),
        Row("pending-bytes-per-handler", \.pendingBytesPerHandler, 1...mostBytes, raise),
        Row("waiting-bytes", \.waitingBytes, 1...mostBytes, "queue the request, or send a file descriptor"),
        Row("bytes-in-flight", \.bytesInFlight, 1...67_108_864, raise),
        Row("unanswered-most", \.unansweredMost, 1...65_535, raise),
        Row("queued-timeout-milliseconds", \.queuedTimeoutMilliseconds, 1...30 * day, raise),
        Row("back-off-milliseconds", \.backOffMilliseconds, 1...day, raise),
        Row("back-off-most-milliseconds", \.backOffMostMilliseconds, 1...day, raise),
        Row("trace-steps", \.traceSteps, 4...1_000, raise),
        Row("ended-requests-kept", \.endedRequestsKept, 0...1_000_000, raise),
        Row("ended-requests-kept-seconds", \.endedRequestsKeptSeconds, 0...2_592_000, raise),
        Row("reply-kept-bytes", \.replyKeptBytes, 0...16_777_216, raise),
    ]

    private static let connectionRows = [
        Row("direct-connections", \.directConnections, 0...100_000, "stay on the bus"),
        Row("direct-connections-per-caller", \.directConnectionsPerCaller, 0...1_000, "close an existing one"),
        Row("direct-milliseconds", \.directMilliseconds, 1...day, "call Connect again"),
        Row("direct-bytes", \.directBytes, 1...mostBytes, "read the messages that were sent"),
        Row("direct-incoming-bytes", \.directIncomingBytes, 1...mostBytes, "finish each message"),
        Row("direct-descriptors", \.directDescriptors, 1...1_000_000, "read the messages that were sent"),
        Row("direct-calls", \.directCalls, 1...10_000_000, "wait for answers first"),
        Row("arriving-bytes", \.arrivingBytes, 1...mostBytes, "wait for answers first, and try again"),
        Row("calls-in-turn", \.callsInTurn, 1...10_000_000, "wait for answers first"),
        Row("desktop-questions", \.desktopQuestions, 1...64, raise),
        Row("desktop-questions-waiting", \.desktopQuestionsWaiting, 0...100_000, raise),
        Row("desktop-milliseconds", \.desktopMilliseconds, 1...day, raise),
    ]

    /// A day in milliseconds.
    private static let day: UInt64 = 86_400_000

    private static func fixed(_ number: Int) -> ClosedRange<UInt64> { UInt64(number)...UInt64(number) }
}
