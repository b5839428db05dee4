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
        /// What a caller can do if its request exceeds the limit by itself, so that waiting or making room cannot help.
        package let remedyIfTooLarge: String

        /// - Parameter remedy: what a caller can do, whether or not its request exceeds the limit by itself.
        fileprivate init(
            _ name: String, _ keyPath: any WritableKeyPath<Limits, UInt64> & Sendable, _ range: ClosedRange<UInt64>,
            _ remedy: String
        ) {
            self.init(name, keyPath, range, later: remedy, tooLarge: remedy)
        }

        /// - Parameter remedy: what a caller can do if its request exceeds only what is left of the limit.
        fileprivate init(
            _ name: String, _ keyPath: any WritableKeyPath<Limits, UInt64> & Sendable, _ range: ClosedRange<UInt64>,
            later remedy: String, tooLarge: String = "make it smaller, or raise the limit in ipc-broker.conf"
        ) {
            (self.name, self.keyPath, self.range) = (name, keyPath, range)
            (self.remedy, remedyIfTooLarge) = (remedy, tooLarge)
        }
    }

    private static let raise = "try again later, or have the broker restarted with a higher limit"
    private static let split = "use more pasteboards, or fewer values"
    private static let remove = "remove pasteboards that are not needed"
    private static let read = "read the messages that are waiting on the connection"
    private static let prune = Advice.keepFewerVersions.rawValue
    /// 1 PiB.
    private static let mostBytes: UInt64 = 1 << 50

    package static let all: [Row] = messageRows + pasteboardRows + requestRows + connectionRows

    private static let messageRows: [Row] = [
        Row(
            "inline-message-bytes", \.inlineMessageBytes, 1...33_554_432,
            "pass a file descriptor, or request one with “fd”"),
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

    private static let pasteboardRows: [Row] = [
        Row("pasteboards", \.pasteboards, 1...10_000_000, later: remove),
        Row("pasteboards-per-source", \.pasteboardsPerSource, 1...10_000_000, later: remove),
        Row("items", \.items, 1...1_000_000_000, later: prune),
        Row("items-per-source", \.itemsPerSource, 1...1_000_000_000, later: prune),
        Row("stored-bytes", \.storedBytes, 1...mostBytes, later: prune),
        Row("stored-bytes-per-source", \.storedBytesPerSource, 1...mostBytes, later: prune),
        Row(
            "memory-bytes", \.memoryBytes, 1...mostBytes, later: "make the pasteboard persistent, or clear others",
            tooLarge: "make it smaller, or make the pasteboard persistent"),
        Row("value-bytes", \.valueBytes, 1...mostBytes, "split the value, or pass its path"),
        Row("descriptors", \.descriptors, 1...1_000_000, later: raise),
        Row("descriptors-per-caller", \.descriptorsPerCaller, 1...1_000_000, later: "wait for earlier calls to finish"),
        Row("items-per-version", \.itemsPerVersion, 1...65_535, split),
        Row("representations-per-version", \.representationsPerVersion, 1...65_535, split),
        Row("promises-per-version", \.promisesPerVersion, 0...65_535, "promise fewer types, or give values"),
        Row("history", \.history, 0...100, "set a lower HistoryLimit"),
        Row("history-most", \.historyMost, 0...100, "set a lower HistoryLimit"),
        Row("general-history", \.generalHistory, 0...100, "set a lower HistoryLimit"),
        Row("general-history-bytes", \.generalHistoryBytes, 0...mostBytes, later: prune),
        Row("removals-kept", \.removalsKept, 0...1_000_000, later: raise),
        Row("sensitive-milliseconds", \.sensitiveMilliseconds, 1...day, later: raise),
        Row("promise-milliseconds", \.promiseMilliseconds, 1...day, later: raise),
        Row("promised-reads", \.promisedReads, 1...1_000_000, later: raise),
        Row("operation-kept-seconds", \.operationKeptSeconds, 1...86_400, later: raise),
        Row("watchers", \.watchers, 1...1_000_000, later: raise),
        Row("watchers-per-caller", \.watchersPerCaller, 1...1_000_000, "watch several pasteboards with one call"),
        Row("schemes-per-application", \.schemesPerApplication, 1...1_000_000, later: "unregister schemes first"),
        Row("schemes", \.schemes, 1...10_000_000, later: "unregister schemes first"),
        Row("scheme-defaults", \.schemeDefaults, 1...1_000_000, later: "remove default handlers that are not needed"),
        Row("window-most", \.windowMost, 1...65_535, "ask for a smaller window"),
    ]

    private static let requestRows: [Row] = [
        Row("request-timeout-milliseconds", \.requestTimeoutMilliseconds, 1...day, later: raise),
        Row("wait-timeout-milliseconds", \.waitTimeoutMilliseconds, 1...day, later: raise),
        Row("activation-milliseconds", \.activationMilliseconds, 1...day, later: raise),
        Row("activation-starts", \.activationStarts, 1...1_000, later: raise),
        Row("activation-period-milliseconds", \.activationPeriodMilliseconds, 1...day, later: raise),
        Row("time-to-live-milliseconds", \.timeToLiveMilliseconds, 1...30 * day, "set a shorter time"),
        Row("time-to-live-most-milliseconds", \.timeToLiveMostMilliseconds, 1...30 * day, "set a shorter time"),
        Row("attempts", \.crashesPerRequest, 1...100, later: raise),
        Row("loop-depth", \.loopDepth, 1...64, "do not open a URL whose handler is waiting for you"),
        Row("pending-requests", \.pendingRequests, 1...10_000_000, later: raise),
        Row("pending-requests-per-source", \.pendingRequestsPerSource, 1...10_000_000, later: raise),
        Row("pending-requests-per-handler", \.pendingRequestsPerHandler, 1...10_000_000, later: raise),
        Row("request-waiters", \.requestWaiters, 1...1_000_000, later: raise),
        Row("request-waiters-per-caller", \.requestWaitersPerCaller, 1...1_000_000, later: "wait for answers first"),
        Row("pending-bytes-per-source", \.pendingBytesPerSource, 1...mostBytes, later: raise),
        Row("pending-bytes-per-handler", \.pendingBytesPerHandler, 1...mostBytes, later: raise),
        Row("waiting-bytes", \.waitingBytes, 1...mostBytes, "queue the request, or send a file descriptor"),
        Row("bytes-in-flight", \.bytesInFlight, 1...67_108_864, later: raise),
        Row("unanswered-most", \.unansweredMost, 1...65_535, later: raise),
        Row("queued-timeout-milliseconds", \.queuedTimeoutMilliseconds, 1...30 * day, later: raise),
        Row("back-off-milliseconds", \.backOffMilliseconds, 1...day, later: raise),
        Row("back-off-most-milliseconds", \.backOffMostMilliseconds, 1...day, later: raise),
        Row("trace-steps", \.traceSteps, 4...1_000, later: raise),
        Row("ended-requests-kept", \.endedRequestsKept, 0...1_000_000, later: raise),
        Row("ended-requests-kept-seconds", \.endedRequestsKeptSeconds, 0...2_592_000, later: raise),
        Row("reply-kept-bytes", \.replyKeptBytes, 0...16_777_216, later: raise),
    ]

    private static let connectionRows: [Row] = [
        Row("direct-connections", \.directConnections, 0...100_000, "keep using the bus connection"),
        Row("direct-connections-per-caller", \.directConnectionsPerCaller, 0...1_000, later: "close an existing one"),
        Row("direct-milliseconds", \.directMilliseconds, 1...day, "call Connect again"),
        Row("direct-bytes", \.directBytes, 1...mostBytes, later: read),
        Row("direct-incoming-bytes", \.directIncomingBytes, 1...mostBytes, later: "send the rest of each message"),
        Row("direct-descriptors", \.directDescriptors, 1...1_000_000, later: read),
        Row("direct-calls", \.directCalls, 1...10_000_000, later: "wait for answers first"),
        Row("arriving-bytes", \.arrivingBytes, 1...mostBytes, later: "wait for answers first, and try again"),
        Row("calls-in-turn", \.callsInTurn, 1...10_000_000, later: "wait for answers first"),
        Row("desktop-questions", \.desktopQuestions, 1...64, later: raise),
        Row("desktop-questions-waiting", \.desktopQuestionsWaiting, 0...100_000, later: raise),
        Row("desktop-milliseconds", \.desktopMilliseconds, 1...day, later: raise),
    ]

    /// A day in milliseconds.
    private static let day: UInt64 = 86_400_000

    private static func fixed(_ number: Int) -> ClosedRange<UInt64> { UInt64(number)...UInt64(number) }
}
