internal import IPCDBus
internal import IPCInterface

/// The promises of this application: one object on the path of each board, for the broker to ask.
///
/// It keeps the providers of the newest two versions of each board, because a board keeps one earlier version by default,
/// and releases the others. It releases all when the bus is lost: the broker asks only the connection that made the
/// promise, and that connection has ended.
@DBusActor
final class PromiseKeeper {
    /// Versions of a board whose providers are kept.
    static let versionsKept = 2

    private let link: BrokerLink
    private let gate: BrokerGate
    private var boards: [PasteboardName: PromisingBoard] = [:]
    private var followsConnection = false

    init(_ link: BrokerLink) {
        self.link = link
        gate = BrokerGate(link)
    }

    /// Makes ready to be asked, then sets the items: the broker may ask before its answer is here.
    func keep(
        _ promises: [[ContentType]], on board: Pasteboard, provider: @escaping PromisedData,
        _ write: () async throws(IPCError) -> UInt64
    ) async throws(IPCError) -> UInt64 {
        try await appear()
        let path = try board.object.path
        let kept = boards[board.checkedName] ?? PromisingBoard(board.checkedName)
        boards[board.checkedName] = kept
        link.connection.objects.export([interface(for: kept)], at: path)
        let number = kept.begin(promises, provider)
        do throws(IPCError) {
            let count = try await write()
            kept.settle(number, at: count)
            return count
        } catch {
            kept.settle(number, at: nil)
            if kept.isEmpty { letGo(of: kept) }
            throw error
        }
    }

    private func appear() async throws(IPCError) {
        try await gate.open()
        guard !followsConnection else { return }
        followsConnection = true
        link.connection.onDisconnect { [weak self] in
            guard let self else { return }
            for board in self.boards.values where board.forget() { self.letGo(of: board) }
        }
    }

    private func letGo(of board: PromisingBoard) {
        boards[board.name] = nil
        guard let path = try? Pasteboards1.root.appending(board.name.pathElement) else { return }
        link.connection.objects.remove(path)
    }

    /// Has the broker fetch everything that is still promised.
    func close() async {
        let open = boards.values.reduce(0) { $0 + $1.promiseCount }
        guard open > 0, link.connection.isConnected else { return }
        // A promise that fails now fails for its readers; no caller is left here.
        _ = try? await link.call(
            Pasteboards1.fetchPromises, NoOptions(),
            timeout: BrokerLink.margin + .milliseconds(Limits().promiseMilliseconds) * open, repeatable: true)
    }

    private func interface(for board: PromisingBoard) -> ExportedInterface {
        ExportedInterface(
            PasteboardWriter1.description,
            methods: [
                PasteboardWriter1.getPromisedData.answered(later: { [weak self, weak board] input, call, answer in
                    guard let self, let board else { return answer(.failure(PromiseGone.reply(input.2, input.3))) }
                    self.gate.admit(call) { refusal in
                        if let refusal { return answer(.failure(refusal)) }
                        // Not a task of the I/O thread: its provider would run there.
                        Task { answer(await board.value(input.1, input.2, input.3, input.4)) }
                    }
                })
            ])
    }
}

/// The answer for a value that this application has not promised, or whose provider is released.
enum PromiseGone {
    static func reply(_ item: UInt32, _ type: String) -> ErrorReply {
        IPCError(.noSuchItem, "nothing is promised of the type “\(type)” for item \(item), or not any more").errorReply
    }
}
