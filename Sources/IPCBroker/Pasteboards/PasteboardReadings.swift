internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

// The methods that read a pasteboard. Each runs in its caller's turn, once there is space for the answer.
extension PasteboardService {
    /// Reads items. If `check` throws for the items, nothing is taken or consumed, and its error is the answer.
    func getItems(
        _ options: GetItemsOptions, of name: PasteboardName, _ call: IncomingCall,
        check: @escaping @Sendable ([PasteboardItem]) throws -> Void = { _ in },
        then answer: @escaping DelayedAnswer<(UInt64, [ReadItem], IPCInterface.VersionFacts)>
    ) async throws {
        try limits.check(\.namesPerCall, request: UInt64(options.types?.count ?? 0))
        let reading = try ItemReading(options)
        let subject = AnswerRoom.Subject(name: name, takesDescriptors: options.fd ?? false, isOneValue: false)
        let outgoing = OutgoingValues(limits, takesDescriptors: subject.takesDescriptors)
        try await readInTurn(subject, call) { transaction in
            let content = try reading.run(on: subject.name, transaction)
            // This runs in the transaction, so that an error undoes the read and no taken items are lost.
            let items = try outgoing.prepare(content.items)
            try check(items)
            return (content, items)
        } then: { [room, expiry] (result: Result<(VersionContent, [PasteboardItem]), any Error>) in
            answer(
                Result {
                    let (content, items) = try result.get()
                    if reading.holdsVersion { expiry.look() }
                    room.learn(
                        items.reduce(0) { $0 + Int(clamping: $1.inlineByteCount) },
                        values: items.reduce(0) { $0 + $1.representations.count }, descriptors: items.fileCount,
                        of: subject)
                    return (content.facts.changeCount, items.map(ReadItem.init), try Self.facts(of: content))
                })
        }
    }

    private static func facts(of content: VersionContent) throws -> IPCInterface.VersionFacts {
        var facts = IPCInterface.VersionFacts(content.facts)
        facts.digests = try content.items.map {
            try $0.representations.map { try ContentDigest(of: $0.value).description }
        }
        facts.size = content.items.reduce(0) { $0 + UInt64($1.byteCount) }
        return facts
    }

    func getData(
        _ input: (UInt32, String, GetDataOptions), _ call: IncomingCall,
        _ answer: @escaping DelayedAnswer<(Representation.Value, IPCInterface.VersionFacts)>
    ) async throws {
        let type = try ContentType(input.1)
        let subject = AnswerRoom.Subject(
            name: try Self.name(call), takesDescriptors: input.2.fd ?? false, isOneValue: true)
        let outgoing = OutgoingValues(limits, takesDescriptors: subject.takesDescriptors)
        try await readInTurn(subject, call) { transaction in
            let found = try transaction.representation(
                input.0, type, of: subject.name, changeCount: input.2.changeCount)
            return (try outgoing.prepare(found.representation), found.facts)
        } then: { [room] (result: Result<(Representation, RepresentationFacts), any Error>) in
            answer(
                result.map { representation, known in
                    var facts = IPCInterface.VersionFacts(known.version)
                    facts.changeCount = known.version.changeCount
                    facts.size = known.size
                    facts.digest = known.digest.description
                    if case .file = representation.value { facts.fd = true } else { facts.fd = false }
                    room.learn(
                        facts.fd == true ? 0 : representation.byteCount, values: 1,
                        descriptors: facts.fd == true ? 1 : 0, of: subject)
                    return (representation.value, facts)
                })
        }
    }

    /// Waits for the caller's turn and for space for the answer, and runs a read. A large read keeps the turn until it has
    /// run, because it waits for other large operations, and no later call may overtake it.
    private func readInTurn<Content: Sendable>(
        _ subject: AnswerRoom.Subject, _ call: IncomingCall, _ body: @escaping Store.Operation<Content>,
        then: @escaping DelayedAnswer<Content>
    ) async throws {
        try await arrivals.inTurn(of: call.sender) {
            try await clients.caller(call.sender).visibility.check(subject.name)
            let place = try await room.place(for: subject, call)
            guard !clients.hasDeparted(call.sender) else { throw AnswerRoom.callerHasLeft }
            // Keep the space before the caller's turn ends, so that the caller's next read already finds it taken.
            call.keepUntilAnswered(place)
            await read(subject, call, body, then: then)
        }
    }

    /// Runs a read. If promised values are missing, fetches them and reads again, because the pasteboard may have
    /// changed. Meanwhile, the answer reserves no space, because a writer may provide its value late or never.
    /// - Returns: once a large read has run; at once, if the read is small.
    private func read<Content: Sendable>(
        _ subject: AnswerRoom.Subject, _ call: IncomingCall, attempts: Int = 100,
        _ body: @escaping Store.Operation<Content>, then: @escaping DelayedAnswer<Content>
    ) async {
        let finish: DelayedAnswer<Content> = { result in
            guard case .failure(let wanted as UnfulfilledPromises) = result else { return then(result) }
            DBusActor.begin {
                do {
                    call.keepUntilAnswered(nil)
                    call.endTurn()
                    let place = try await self.promisedReads.wait(of: call.sender) {
                        try await self.promises.fetch(wanted)
                        // The size of the value may differ from the size that its promise stated.
                        self.room.forget(subject.name)
                        return try await self.room.place(for: subject, call)
                    }
                    guard !self.clients.hasDeparted(call.sender) else { throw AnswerRoom.callerHasLeft }
                    guard attempts > 1 else {
                        throw IPCError(
                            .changeCountMismatch,
                            "the pasteboard changes faster than promised values can be fetched; try again")
                    }
                    call.keepUntilAnswered(place)
                    await self.read(subject, call, attempts: attempts - 1, body, then: then)
                } catch { then(.failure(error)) }
            }
        }
        guard room.isLarge(subject) else { return store.commit(body, then: finish) }
        let result: Result<Content, any Error>
        do { result = .success(try await store.commitLargeRead(body)) } catch { result = .failure(error) }
        finish(result)
    }

    func listVersions(_ call: IncomingCall) async throws -> [IPCInterface.VersionFacts] {
        let name = try await name(call)
        try await arrivals.turn(ofList: call, in: room)
        return try await store.commit { transaction in
            try transaction.versions(of: name).map { version in
                var facts = IPCInterface.VersionFacts(version)
                facts.changeCount = version.changeCount
                facts.itemCount = UInt32(version.itemCount)
                facts.size = version.byteCount
                facts.types = version.types.map { $0.map(\.text) }
                return facts
            }
        }
    }
}
