package import IPCDBus

/// The keyring of the logged-in user.
///
/// A secret is found by its attributes, which are not secret; all of them must match.
@DBusActor
package struct Keyring {
    private let connection: Connection
    private let session: ObjectPath
    /// The collection for new secrets.
    private let collection: ObjectPath

    /// Opens the keyring; `nil` if there is none: no session bus, no keyring program, or no collection for new secrets.
    ///
    /// This program owns the bus name `turn` until the keyring is released. Programs that open it under the same name take
    /// turns, in the order of their requests; if one of them exits, the next one gets the name.
    package static func open(_ bus: BusAddress = .session, inTurn turn: BusName) async throws -> Keyring? {
        guard let connection = try? await Connection.open(bus) else { return nil }
        do throws(CallError) {
            // With the algorithm “plain”, the secret crosses the bus unencrypted, but only programs of this user can
            // see it.
            let (_, session) = try await connection.call(
                SecretService.openSession, on: SecretService.busName, at: SecretService.path, ("plain", .string("")))
            let collection = try await connection.call(
                SecretService.readAlias, on: SecretService.busName, at: SecretService.path, "default")
            guard collection != SecretService.nothing else { return nil }
            try await connection.ownName(turn)
            return Keyring(connection: connection, session: session, collection: collection)
        } catch {
            if error.meansAbsence { return nil }
            throw InstallationFailure.keyring(reason: "\(error)")
        }
    }

    /// Returns the secret; `nil` if there is none. Asks the user to unlock the keyring if it is locked.
    package func secret(_ attributes: [String: String]) async throws -> String? {
        guard let item = try await items(attributes).first else { return nil }
        let secret = try await ask(SecretService.getSecret, at: item, session)
        return String(decoding: secret.value, as: UTF8.self)
    }

    /// Stores a new secret. Existing secrets with the same attributes stay.
    package func keep(_ text: String, label: String, _ attributes: [String: String]) async throws {
        let properties: [String: Value] = [
            "org.freedesktop.Secret.Item.Label": .string(label),
            "org.freedesktop.Secret.Item.Attributes": attributes.dbusValue,
        ]
        let (_, prompt) = try await ask(
            SecretService.createItem, at: collection, (properties, Secret(text, in: session), false))
        try await finish(prompt)
    }

    /// Removes all secrets with these attributes; returns `false` if there are none.
    package func remove(_ attributes: [String: String]) async throws -> Bool {
        let items = try await items(attributes)
        for item in items { try await finish(try await ask(SecretService.delete, at: item, ())) }
        return !items.isEmpty
    }

    // MARK: Locks and prompts

    private func items(_ attributes: [String: String]) async throws -> [ObjectPath] {
        let (items, locked) = try await ask(SecretService.searchItems, attributes)
        guard items.isEmpty else { return items }
        // No item was found, but a locked keyring may hide its items, so unlock it first.
        let (_, prompt) = try await ask(SecretService.unlock, [collection] + locked)
        try await finish(prompt)
        return try await ask(SecretService.searchItems, attributes).0
    }

    /// Waits for the user to answer a prompt, if there is one.
    private func finish(_ prompt: ObjectPath) async throws {
        guard prompt != SecretService.nothing else { return }
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        let completion = try await connection.subscribe(
            to: SecretService.completed, from: SecretService.busName, at: prompt
        ) { values, _ in answer.yield(!values.0) }
        let life = try await connection.watchName(SecretService.busName) { _, _ in answer.yield(false) }
        defer { withExtendedLifetime((completion, life)) {} }
        try await ask(SecretService.prompt, at: prompt, "")
        var iterator = answers.makeAsyncIterator()
        let isGranted = await iterator.next() ?? false
        try Task.checkCancellation()
        guard isGranted else { throw InstallationFailure.keyringLocked }
    }

    private func ask<Input, Output>(
        _ method: Method<Input, Output>, at path: ObjectPath = SecretService.path, _ input: Input
    ) async throws -> Output {
        do throws(CallError) {
            return try await connection.call(method, on: SecretService.busName, at: path, input)
        } catch {
            if error.isRemote("org.freedesktop.Secret.Error.IsLocked") { throw InstallationFailure.keyringLocked }
            throw InstallationFailure.keyring(reason: "\(error)")
        }
    }
}

extension CallError {
    /// Whether the error means that the name has no owner, and that the bus cannot start one.
    fileprivate var meansAbsence: Bool {
        if isRemote(.serviceUnknown) || isRemote(.nameHasNoOwner) { return true }
        guard case .remote(let name, _) = self else { return false }
        return name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
    }
}
