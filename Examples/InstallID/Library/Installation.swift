package import IPCDBus

/// An installation of an application, identified by an id.
///
/// The id is created on the first start and never changes. It is stored in the keyring, or, if there is no keyring on the
/// first start, in the application's file. Otherwise, the file only notes that the keyring has the id. Processes that
/// start at the same moment get the same id: only one of them creates the file, and only one at a time uses the keyring.
package struct Installation: Sendable {
    /// The application id, such as `com.example.InstallID`.
    package let application: String
    package let record: RecordFile
    private let bus: BusAddress

    /// - Throws: the same errors as ``RecordFile/init(of:environment:)``.
    package init(of application: String, bus: BusAddress = .session) throws(InstallationFailure) {
        self.application = application
        record = try RecordFile(of: application)
        self.bus = bus
    }

    /// Returns the id; the first start creates it.
    /// - Throws: ``InstallationFailure``.
    package func id() async throws -> InstallationID {
        let written = try record.read()
        if case .file(let id) = written { return id }
        guard let keyring = try await Keyring.open(bus) else {
            guard written == nil else { throw InstallationFailure.keyringAbsent }
            return try follow(try record.publish(.file(.random())), kept: nil)
        }
        let kept = try await keyring.exclusively(try turn) { try await id(in: keyring) }
        return try follow(try record.publish(.keyring), kept: kept)
    }

    /// Returns where the id is stored: the path of the file, or `keyring`; `nil` if there is no id yet.
    package func place() throws -> String? {
        switch try record.read() {
        case .file: record.path
        case .keyring: "keyring"
        case nil: nil
        }
    }

    /// Deletes the id; the next start creates another one. Returns `false` if there was none.
    package func remove() async throws -> Bool {
        let written = try record.read()
        if case .file = written { return try record.remove() }
        guard let keyring = try await Keyring.open(bus) else {
            guard written == nil else { throw InstallationFailure.keyringAbsent }
            return false
        }
        let wasKept = try await keyring.exclusively(try turn) { try await keyring.remove(attributes) }
        return try record.remove() || wasKept
    }

    private var attributes: [String: String] {
        ["xdg:schema": "org.swiftipc.examples.InstallID", "application": application]
    }

    /// The bus name that a process owns while it looks up, creates or removes the id in the keyring.
    private var turn: BusName { get throws { try BusName("\(application).Making") } }

    @DBusActor
    private func id(in keyring: Keyring) async throws -> InstallationID {
        if let text = try await keyring.secret(attributes) {
            guard let id = InstallationID(text) else {
                throw InstallationFailure.keyring(reason: "its secret for \(application) is not an id; remove it")
            }
            return id
        }
        let id = InstallationID.random()
        try await keyring.keep(id.text, label: "Installation id of \(application)", attributes)
        return id
    }

    /// Returns the id to which the record refers.
    /// - Parameter kept: the id in the keyring; `nil` if there is no keyring, or no id in it.
    private func follow(_ record: Record, kept: InstallationID?) throws -> InstallationID {
        switch (record, kept) {
        case (.file(let id), _), (.keyring, let id?): id
        case (.keyring, nil): throw InstallationFailure.keyringAbsent
        }
    }
}
