package import IPCModel

extension Store {
    /// Takes over what is to go with a request, and runs an operation with it that begins or ends the request.
    ///
    /// A request keeps its payload on the disk. Files among items are copied there before the operation runs. A version
    /// that a pasteboard has on the disk is passed as it is, and nothing is copied; where it is in memory and has files,
    /// the operation fails with `IntakeOutdated`, its items are read and taken over, and it runs again with those. For
    /// items that the same operation sets on a pasteboard see ``withIntake(of:on:persistent:forRequest:)``.
    nonisolated(nonsending) package func withPayload<Value: Sendable>(
        _ payload: RequestPayload, _ operation: nonisolated(nonsending) (RequestPayload) async throws -> Value
    ) async throws -> Value {
        switch payload {
        case .none, .withheld: return try await operation(payload)
        case .items(let items): return try await operation(.items(onDisk(items)))
        case .version(let name, let count):
            do {
                return try await operation(payload)
            } catch is IntakeOutdated {
                let items = try await commit { try $0.items(of: name, ReadOptions(changeCount: count)).items }
                return try await operation(.items(onDisk(items)))
            }
        }
    }

    /// Takes over the files of items that an operation sets on a pasteboard and binds to a request in one step.
    ///
    /// The operation gets the items for the pasteboard, and what goes with the request where that is not the version that
    /// it makes: on a pasteboard in memory the request has copies of the files of its own. For nil it passes
    /// `RequestPayload.version`. It is repeated where the pasteboard moves between disk and memory meanwhile.
    nonisolated(nonsending) package func withIntake<Value: Sendable>(
        of items: [PasteboardItem], on name: PasteboardName, persistent: Bool?,
        forRequest operation: nonisolated(nonsending) ([PasteboardItem], RequestPayload?) async throws -> Value
    ) async throws -> Value {
        guard items.contains(where: { !$0.files.isEmpty }) else { return try await operation(items, nil) }
        for _ in 0..<Self.attempts {
            let toDisk = try await commit { try $0.isPersistent(name, ifNew: persistent) }
            let taken = try await intake.take(items, persistent: toDisk, sensitive: false)
            do {
                return try await operation(taken, toDisk ? nil : .items(onDisk(items)))
            } catch is IntakeOutdated {
                continue
            }
        }
        throw Self.movesTooOften
    }

    nonisolated(nonsending) private func onDisk(_ items: [PasteboardItem]) async throws -> [PasteboardItem] {
        try await intake.take(items, persistent: true, sensitive: false)
    }
}
