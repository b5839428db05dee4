package import IPCDBus

/// An installation of an application, and the id by which it is known.
///
/// The id is made at the first start and stays the same at every later one. It is kept in the keyring, or in a file where
/// there is no keyring at the first start; the record says which. Processes that start at the same moment get one id: those
/// with a keyring take turns on the bus, and the record is made by one of them all.
package struct Installation: Sendable {
    /// The application id, such as `com.example.InstallID`.
    package let application: String
    package let record: RecordFile
    private let bus: BusAddress

    /// - Throws: as ``RecordFile/init(of:environment:)``.
    package init(of application: String, bus: BusAddress = .session) throws(InstallationFailure) {
        self.application = application
        record = try RecordFile(of: application)
        self.bus = bus
    }

    /// The id; the first start makes it.
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

    /// Where the id is kept: the path of the file, or `keyring`; `nil` where there is no id yet.
    package func place() throws -> String? {
        switch try record.read() {
        case .file: record.path
        case .keyring: "keyring"
        case nil: nil
        }
    }

    /// Forgets the id; the next start makes another one. False where there was none.
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

    /// The bus name that who makes the id owns meanwhile.
    private var turn: BusName { get throws { try BusName("\(application).Making") } }

    @DBusActor
    private func id(in keyring: Keyring) async throws -> InstallationID {
        if let text = try await keyring.secret(attributes) {
            guard let id = InstallationID(text) else {
                throw InstallationFailure.keyring(reason: "its secret for \(application) is no id; remove it")
            }
            return id
        }
        let id = InstallationID.random()
        try await keyring.keep(id.text, label: "Installation id of \(application)", attributes)
        return id
    }

    /// The id that the record names.
    /// - Parameter kept: the id in the keyring; `nil` without a keyring.
    private func follow(_ record: Record, kept: InstallationID?) throws -> InstallationID {
        switch (record, kept) {
        case (.file(let id), _), (.keyring, let id?): id
        case (.keyring, nil): throw InstallationFailure.keyringAbsent
        }
    }
}
