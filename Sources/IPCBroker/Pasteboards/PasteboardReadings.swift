internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

// The members that read a pasteboard, in the caller's turn and when there is room for the answer.
extension PasteboardService {
    func getItems(
        _ options: GetItemsOptions, _ call: IncomingCall
    ) async throws -> (UInt64, [ReadItem], IPCInterface.VersionFacts) {
        try limits.check(\.namesPerCall, request: UInt64(options.types?.count ?? 0))
        let reading = try ItemReading(options)
        return try await inTurn(call, fd: options.fd) { subject in
            let outgoing = OutgoingValues(self.limits, takesDescriptors: subject.takesDescriptors)
            let (content, items) = try await self.read { transaction in
                let content = try reading.run(on: subject.name, transaction)
                // Before anything is consumed for good: what this throws undoes the reading.
                return (content, try outgoing.prepare(content.items))
            }
            if reading.holdsVersion { self.expiry.look() }
            self.room.learn(
                items.reduce(0) { $0 + Int(clamping: $1.inlineByteCount) }, descriptors: items.fileCount, of: subject)
            var facts = IPCInterface.VersionFacts(content.facts)
            facts.digests = try content.items.map {
                try $0.representations.map { try ContentDigest(of: $0.value).description }
            }
            facts.size = content.items.reduce(0) { $0 + UInt64($1.byteCount) }
            return (content.facts.changeCount, items.map(ReadItem.init), facts)
        }
    }

    func getData(
        _ input: (UInt32, String, GetDataOptions), _ call: IncomingCall
    ) async throws -> (Representation.Value, IPCInterface.VersionFacts) {
        let type = try ContentType(input.1)
        return try await inTurn(call, fd: input.2.fd, isOneValue: true) { subject in
            let outgoing = OutgoingValues(self.limits, takesDescriptors: subject.takesDescriptors)
            let (representation, known) = try await self.read { transaction in
                let found = try transaction.representation(
                    input.0, type, of: subject.name, changeCount: input.2.changeCount)
                return (try outgoing.prepare(found.representation), found.facts)
            }
            var facts = IPCInterface.VersionFacts(known.version)
            facts.size = known.size
            facts.digest = known.digest.description
            if case .file = representation.value { facts.fd = true } else { facts.fd = false }
            self.room.learn(
                facts.fd == true ? 0 : representation.byteCount, descriptors: facts.fd == true ? 1 : 0, of: subject)
            return (representation.value, facts)
        }
    }

    /// Reads, and fetches promised values that are missing, often enough for any writer that keeps its promises.
    private func read<Content: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Content
    ) async throws -> Content {
        for _ in 0..<100 {
            do {
                return try await store.commit(body)
            } catch let wanted as UnfulfilledPromises {
                try await promises.fetch(wanted)
            }
        }
        throw IPCError(.changeCountMismatch, "the pasteboard changes faster than what is promised can be fetched")
    }

    func listVersions(_ call: IncomingCall) async throws -> [IPCInterface.VersionFacts] {
        let name = try await name(call)
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

    // MARK: Turns

    /// Runs a reading in the caller's turn.
    private func inTurn<Result: Sendable>(
        _ call: IncomingCall, fd: Bool?, isOneValue: Bool = false,
        _ perform: @DBusActor (AnswerRoom.Subject) async throws -> Result
    ) async throws -> Result {
        try await arrivals.inTurn(of: call.sender) {
            let name = try await name(call)
            let subject = AnswerRoom.Subject(name: name, takesDescriptors: fd ?? false, isOneValue: isOneValue)
            let place = try await room.place(for: subject, call)
            guard !clients.hasDeparted(call.sender) else { throw AnswerRoom.callerHasLeft }
            // The next reading of the caller must find the answer among those that it has not read.
            call.keepUntilAnswered(place)
            return subject
        } perform: {
            try await perform($0)
        }
    }
}
