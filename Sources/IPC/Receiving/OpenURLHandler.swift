internal import IPCDBus

/// Does the work of a request, and returns the reply for its sender.
///
/// An error that it throws becomes the answer. An ``OpenURLRequest/Answer`` is the answer itself. A
/// `CancellationError`, and any error after the request was cancelled, becomes `cancelled`. Other errors become
/// `failed`, with the code and the sentence of a ``HandlerError`` or ``IPCModel/IPCError``, or with the name of the
/// error's type as the code.
public typealias OpenURLHandler = @concurrent @Sendable (OpenURLRequest) async throws -> [PasteboardItem]

/// The request that the current task handles, the parent of every request that it makes: D-Bus does not record
/// causality.
enum HandledRequest {
    @TaskLocal static var id: RequestID?
}

extension OpenURLRequest {
    /// Does the work of the request and answers it.
    ///
    /// Every ``Application/open(_:sending:on:options:)`` and call in the body has this request as its parent, so that
    /// the broker can stop handlers which open each other's URLs without end. The task of the body is cancelled when
    /// the request is cancelled (``isCancelled``), and when the task of the caller is.
    /// - Parameter body: the work. If it calls ``finish(_:replying:)``, that is the answer.
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
            // The reply cannot be sent. If the body has answered meanwhile, its answer stays.
            try? await finish(.failed(code: error.replyCode, message: error.message))
        }
    }
}

extension OpenURLRequest.Answer {
    /// The answer for an error, by the rules of ``OpenURLHandler``; for ``OpenURLRequest/finish(_:replying:)``.
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

/// An error of a handler: thrown in the body of ``OpenURLRequest/handle(_:)``, it reaches the sender with this code and
/// this sentence.
///
/// Another error has the name of its type as its code, which may change with the source. The sentence of an error that
/// is `CustomStringConvertible` is its description.
public protocol HandlerError: Error {
    /// A short word for programs, in lower case with hyphens: the sender's ``CallFailure/code`` and
    /// ``OpenURLResponse/errorCode``.
    var code: String { get }
    /// A sentence for people, which starts in lower case and has no full stop.
    var message: String { get }
}

extension HandlerError where Self: CustomStringConvertible {
    public var message: String { description }
}

/// If a call that a handler makes fails, the handler fails with the same code and sentence.
extension CallFailure: HandlerError {}

extension Application {
    /// Handles and answers every request, as many at a time as the registered window; see
    /// ``OpenURLRequest/handle(_:)``.
    ///
    /// Returns after ``close()`` or ``stopReceiving()``, when the work that has begun is done. If the task is
    /// cancelled, this cancels that work. Throws as ``openURLs``.
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
