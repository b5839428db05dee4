internal import IPCDBus

/// Does the work of a request, and gives what its sender gets back.
///
/// What it throws is the answer: an ``OpenURLRequest/Answer`` as it is; `cancelled` for a `CancellationError`, and for
/// any error after the request was called off; `failed` for all else, with the code and the sentence of a
/// ``HandlerError`` or ``IPCModel/IPCError``, and of any other error with the name of its type as the code.
public typealias OpenURLHandler = @concurrent @Sendable (OpenURLRequest) async throws -> [PasteboardItem]

/// The request that the current task handles: the parent of every request that it makes (D-Bus has no causality).
enum HandledRequest {
    @TaskLocal static var id: String?
}

extension OpenURLRequest {
    /// Does the work of the request and answers it.
    ///
    /// Every ``Application/open(_:sending:on:options:)`` and call within carries this request as its parent, so that
    /// handlers which open each other's URLs without end are cut off. The task of the body is cancelled when the sender
    /// calls the request off or no longer waits for the answer (``isCancelled``), and when the task of the caller is cancelled.
    /// - Parameter body: the work; where it has answered by ``finish(_:replying:)`` itself, that was the answer.
    public nonisolated func handle(_ body: @escaping OpenURLHandler) async {
        let work = Task { () async -> Result<[PasteboardItem], any Error> in
            await HandledRequest.$id.withValue(id) {
                do { return .success(try await body(self)) } catch { return .failure(error) }
            }
        }
        let watch = Task { if await cancellation() { work.cancel() } }
        let result = await withTaskCancellationHandler {
            await work.value
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
            // The reply cannot travel; a second answer that came meanwhile is nobody's loss.
            try? await finish(.failed(code: error.replyCode, message: error.message))
        }
    }
}

extension OpenURLRequest.Answer {
    /// The answer of a receiver whose work has thrown, for one that answers by ``OpenURLRequest/finish(_:replying:)``; the
    /// rule is that of ``OpenURLHandler``.
    public init(_ error: any Error) { self.init(error, calledOff: false) }

    init(_ error: any Error, calledOff: Bool) {
        switch error {
        case let answer as Self: self = answer
        case is CancellationError: self = .cancelled
        case _ where calledOff: self = .cancelled
        case let error as any HandlerError: self = .failed(code: error.code, message: error.message)
        case let condition as any Condition:
            self = .failed(code: condition.ipcError.code.rawValue, message: condition.ipcError.message)
        default: self = .failed(code: "\(type(of: error))", message: "\(error)")
        }
    }
}

extension IPCError {
    /// Why a reply could not be given, as a word for programs.
    fileprivate var replyCode: String { code == .limitExceeded ? "reply-too-large" : code.rawValue }
}

/// Why a handler has failed, in words of its own: what it throws in the body of ``OpenURLRequest/handle(_:)`` reaches the
/// sender with this code and this sentence.
///
/// Any other error reaches the sender with the name of its type as the code, which changes with the source. Where an error
/// describes itself, that is its sentence.
public protocol HandlerError: Error {
    /// A short word for programs, in lower case with hyphens; ``CallFailure/code`` and ``OpenURLResponse/errorCode`` of
    /// the sender.
    var code: String { get }
    /// A sentence for people that starts with a small letter and has no full stop.
    var message: String { get }
}

extension HandlerError where Self: CustomStringConvertible {
    public var message: String { description }
}

/// A reply that a handler got itself, by a call, fails as that call did.
extension CallFailure: HandlerError {}

extension Application {
    /// Handles every request that comes, up to the window that was registered at a time, and answers it; see
    /// ``OpenURLRequest/handle(_:)``.
    ///
    /// Returns after ``close()`` or ``stopReceiving()``, or when the task is cancelled, with everything done that was
    /// begun: a task that is cancelled cancels the work in hand. Throws as ``openURLs``.
    public nonisolated func onOpenURL(_ body: @escaping OpenURLHandler) async throws(IPCError) {
        try await openURLs.handle(body)
    }
}
