internal import IPCDBus
internal import IPCInterface

/// Keeps this application's promises. For each pasteboard, it exports one object, from which the broker gets values,
/// and keeps the providers of the newest two versions, because a pasteboard keeps one earlier version by default. When
/// the bus is lost, it releases the providers, because the broker calls only the connection that made the promises.
@DBusActor
final class PromiseKeeper {
    static let versionsKept = 2

    private struct Version {
        let board: PasteboardName
        let number: UInt64
        /// The change count of the version; `nil` until the broker has answered the write.
        var changeCount: UInt64?
        let promises: [[ContentType]]
        let provider: PromisedData
    }

    private let link: BrokerLink
    private let gate: BrokerGate
    private var versions: [Version] = []
    private var last: UInt64 = 0
    private let settling = WaitingTasks<Void>()
    private var followsConnection = false

    init(_ link: BrokerLink) {
        self.link = link
        gate = BrokerGate(link)
    }

    /// Exports the pasteboard's object before writing, because the broker may call it before answering the write.
    func keep(
        _ promises: [[ContentType]], on board: Pasteboard, provider: @escaping PromisedData,
        _ write: () async throws(IPCError) -> UInt64
    ) async throws(IPCError) -> UInt64 {
        try await appear()
        let name = board.name
        link.connection.objects.export([interface(for: name)], at: try board.object.path)
        last += 1
        let number = last
        versions.append(
            Version(board: name, number: number, changeCount: nil, promises: promises, provider: provider))
        do throws(IPCError) {
            let count = try await write()
            settle(number, at: count, on: name)
            return count
        } catch {
            settle(number, at: nil, on: name)
            releaseObject(of: name)
            throw error
        }
    }

    private func appear() async throws(IPCError) {
        try await gate.open()
        guard !followsConnection else { return }
        followsConnection = true
        link.connection.onDisconnect { [weak self] in self?.releaseWritten() }
    }

    /// Forgets the versions that were written. One still being written is kept, because the write may yet succeed.
    private func releaseWritten() {
        let boards = Set(versions.map(\.board))
        versions.removeAll { $0.changeCount != nil }
        for board in boards { releaseObject(of: board) }
    }

    /// - Parameter changeCount: the change count of the new version; `nil` if the write failed.
    private func settle(_ number: UInt64, at changeCount: UInt64?, on board: PasteboardName) {
        if let changeCount, let place = versions.firstIndex(where: { $0.number == number }) {
            versions[place].changeCount = changeCount
        } else {
            versions.removeAll { $0.number == number }
        }
        let counts = versions.filter { $0.board == board }.compactMap(\.changeCount)
        let kept = counts.sorted().suffix(Self.versionsKept)
        versions.removeAll { $0.board == board && $0.changeCount.map { !kept.contains($0) } ?? false }
        settling.resumeAll(with: ())
    }

    /// Removes the object of a pasteboard that has no promises left.
    private func releaseObject(of board: PasteboardName) {
        guard !versions.contains(where: { $0.board == board }),
            let path = try? Pasteboards1.root.appending(board.pathElement)
        else { return }
        link.connection.objects.remove(path)
    }

    func close() async {
        let open = versions.reduce(0) { $0 + $1.promises.reduce(0) { $0 + $1.count } }
        guard open > 0, link.connection.isConnected else { return }
        // Ignore a failure, because it affects only the readers of the promised values.
        _ = try? await link.call(
            Pasteboards1.fetchPromises, NoOptions(),
            timeout: BrokerLink.margin + .milliseconds(Limits().promiseMilliseconds) * open, repeatable: true)
    }

    private func interface(for board: PasteboardName) -> ExportedInterface {
        ExportedInterface(
            PasteboardWriter1.description,
            methods: [
                PasteboardWriter1.getPromisedData.answered(later: { [weak self] input, call, answer in
                    guard let self else { return answer(.failure(ErrorReply.notPromised(input.2, input.3))) }
                    self.gate.admit(call) { refusal in
                        if let refusal { return answer(.failure(refusal)) }
                        // Start a new task, because otherwise the provider would run on the I/O thread.
                        Task { answer(await self.value(of: board, input.1, input.2, input.3, input.4)) }
                    }
                })
            ])
    }

    private func value(
        of board: PasteboardName, _ changeCount: UInt64, _ item: UInt32, _ wanted: String,
        _ options: PromisedDataOptions
    ) async -> Result<Representation.Value, any Error> {
        // The broker may ask for values of a version before it answers the call that writes the version.
        while mayBeWriting(changeCount, on: board) {
            await settling.wait { mayBeWriting(changeCount, on: board) ? nil : () }
        }
        guard let type = try? ContentType(wanted), let (promised, provider) = promise(board, changeCount, item, type)
        else { return .failure(ErrorReply.notPromised(item, wanted)) }
        do {
            let value = try await provider(Int(item), promised)
            let representation = Representation(type: promised, value: value)
            return .success(try await OutgoingItems.prepare(representation, takesDescriptor: options.fd ?? false))
        } catch let error as any Condition {
            return .failure(error.errorReply)
        } catch {
            return .failure(ErrorReply(.failed, "\(error)"))
        }
    }

    /// Whether no known version has this change count, but one that is still being written may get it.
    private func mayBeWriting(_ changeCount: UInt64, on board: PasteboardName) -> Bool {
        let versions = versions.filter { $0.board == board }
        return !versions.contains { $0.changeCount == changeCount } && versions.contains { $0.changeCount == nil }
    }

    /// The type as it was promised, and its provider; `nil` if there is none. The broker passes the change count of the
    /// version that the promise was written with, even if items added later have created a newer version. If no such
    /// version is known, it was released, its write was never answered, or another program wrote it.
    private func promise(
        _ board: PasteboardName, _ changeCount: UInt64, _ item: UInt32, _ type: ContentType
    ) -> (ContentType, PromisedData)? {
        let version = versions.first { $0.board == board && $0.changeCount == changeCount }
        guard let version, version.promises.indices.contains(Int(item)) else { return nil }
        return version.promises[Int(item)].first { $0 == type }.map { ($0, version.provider) }
    }
}

extension ErrorReply {
    /// The answer for a value that this application did not promise, or whose provider has been released.
    fileprivate static func notPromised(_ item: UInt32, _ type: String) -> ErrorReply {
        let message = "the type “\(type)” of item \(item) was not promised, or the promise has ended"
        return IPCError(.noSuchItem, message).errorReply
    }
}
