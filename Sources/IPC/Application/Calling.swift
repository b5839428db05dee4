internal import IPCDBus
internal import IPCInterface

extension Application {
    /// Opens a URL and gives the handler's reply; whatever is no success is an error.
    ///
    /// With ``OpenOptions/isQueued`` the request is on the disk, and the reply is waited for until the request ends, over
    /// restarts of everybody but this process.
    ///
    /// When the task is cancelled, the request is called off, as by ``open(_:sending:on:options:)``.
    /// - Returns: the reply, without items where the handler gave none or cannot answer.
    /// - Throws: the one reason why there is none.
    public func call(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(CallFailure) -> CallReply {
        let response = try await end(of: url, items, board, options)
        if let failure = CallFailure(response) { throw failure }
        return CallReply(response)
    }

    /// Opens a URL and waits for the end.
    func end(
        of url: String, _ items: [PasteboardItem]?, _ board: Pasteboard?, _ options: OpenOptions
    ) async throws(CallFailure) -> OpenURLResponse {
        do throws(IPCError) {
            let response = try await open(url, sending: items, on: board, options: options)
            return response.outcome.isEnd ? response : try await endOfQueued(response.id)
        } catch {
            throw CallFailure(refused: error)
        }
    }

    /// Waits for the end of a request that was queued to be waited for: who gives up cancels.
    private func endOfQueued(_ id: String) async throws(IPCError) -> OpenURLResponse {
        do throws(IPCError) { return try await wait(for: id) } catch {
            if Task.isCancelled { link.callOff(id) }
            throw error
        }
    }
}
