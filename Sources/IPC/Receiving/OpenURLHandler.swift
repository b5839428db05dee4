internal import IPCDBus

/// Does the work of a request, and returns the reply for its sender.
///
/// If it throws an error, that error becomes the answer. An ``OpenURLRequest/Answer`` is sent as it is. A
/// `CancellationError`, or any error after the request was cancelled, becomes `cancelled`. Any other error becomes
/// `failed`, with the code and message of a ``HandlerError`` or ``IPCModel/IPCError``, or with the name of the error's
/// type as the code.
public typealias OpenURLHandler = @concurrent @Sendable (OpenURLRequest) async throws -> [PasteboardItem]

/// The request that the current task handles. It becomes the parent of every request that the task makes, because D-Bus
/// does not record which call caused which.
enum HandledRequest {
    @TaskLocal static var id: RequestID?
}

extension OpenURLRequest {
    /// Does the work of the request and answers it.
    ///
    /// Every ``Application/open(_:sending:on:options:)`` and call in the body has this request as its parent, so that
    /// the broker can stop handlers that open each other's URLs endlessly. The body's task is cancelled if the request
    /// is cancelled (``isCancelled``), or if the task that called this method is cancelled.
    /// - Parameter body: the work. If it calls ``finish(_:replying:)`` itself, that call gives the answer.
    public nonisolated func handle(_ body: @escaping OpenURLHandler) async {
        let work = Task { try await HandledRequest.$id.withValue(id) { try await body(self) } }
        let watch = Task { if await waitUntilCancelled() { work.cancel() } }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            work.cancel()
        }
        await conclude(result, calledOff: work.isCancelled)
        watch.cancel()
    }

    private func conclude(_ result: Result<[PasteboardItem], any Error>, calledOff: Bool) async {
        guard !isAnswered else { return }
        do throws(IPCError) {
            switch result {
            case .success(let items): try await finish(.handled, replying: items)
            case .failure(let error): try await finish(Answer(error, calledOff: calledOff))
            }
        } catch {
            // Report that the reply cannot be sent. If the body has answered in the meantime, its answer stands.
            try? await finish(.failed(code: error.replyCode, message: error.message))
        }
    }
}

extension OpenURLRequest.Answer {
    /// Creates an answer from an error, by the rules of ``OpenURLHandler``, for ``OpenURLRequest/finish(_:replying:)``.
    public init(_ error: any Error) { self.init(error, calledOff: false) }

    init(_ error: any Error, calledOff: Bool) {
        switch error {
        case let answer as Self: self = answer
        case _ where calledOff || error is CancellationError: self = .cancelled
        case let error as any HandlerError: self = .failed(code: error.code, message: error.message)
        case let condition as any Condition:
            self = .failed(code: condition.ipcError.code.rawValue, message: condition.ipcError.message)
        default: self = .failed(code: "\(type(of: error))", message: "\(error)")
        }
    }
}

extension IPCError {
    fileprivate var replyCode: String { code == .limitExceeded ? "reply-too-large" : code.rawValue }
}

/// An error that a handler reports: if the body of ``OpenURLRequest/handle(_:)`` throws it, the sender gets its code
/// and message.
///
/// For any other error, the code is the name of its type, which may change with the source. If the error is
/// `CustomStringConvertible`, the message is its description.
public protocol HandlerError: Error {
    /// A short code for programs, in lower case with hyphens: the sender's ``CallFailure/code`` and
    /// ``OpenURLResponse/errorCode``.
    var code: String { get }
    /// A message for people. It starts in lower case and has no full stop.
    var message: String { get }
}

extension HandlerError where Self: CustomStringConvertible {
    public var message: String { description }
}

/// A handler may rethrow the failure of a call that it made. The request then fails with the same code and message.
extension CallFailure: HandlerError {}

extension Application {
    /// Handles and answers all requests, as many at once as the window allows; see ``OpenURLRequest/handle(_:)``.
    ///
    /// Returns after ``close()`` or ``stopReceiving()``, once the work in progress is done. If the task is cancelled,
    /// that work is cancelled too. Throws the same errors as ``openURLs``.
    public nonisolated func onOpenURL(_ body: @escaping OpenURLHandler) async throws(IPCError) {
        let result = await withDiscardingTaskGroup { group -> Result<Void, IPCError> in
            do throws(IPCError) {
                for try await request in openURLs { group.addTask { await request.handle(body) } }
                return .success(())
            } catch { return .failure(error) }
        }
        try result.get()
    }
}
