package import Foundation
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

    /// Returns the id, 122 random bits in a UUID; the first start creates it.
    /// - Throws: ``InstallationFailure``.
    package func id() async throws -> UUID {
        if case .file(let id) = try record.read() { return id }
        guard let keyring = try await Keyring.open(bus, inTurn: turn) else {
            if case .file(let id) = try record.publish(.file(UUID())) { return id }
            throw InstallationFailure.keyringAbsent
        }
        let kept = try await id(in: keyring)
        // A process without a keyring may have been faster.
        if case .file(let id) = try record.publish(.keyring) { return id }
        return kept
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
        guard let keyring = try await Keyring.open(bus, inTurn: turn) else {
            guard written == nil else { throw InstallationFailure.keyringAbsent }
            return false
        }
        let wasKept = try await keyring.remove(attributes)
        return try record.remove() || wasKept
    }

    private var attributes: [String: String] {
        ["xdg:schema": "org.swiftipc.examples.InstallID", "application": application]
    }

    /// The bus name that a process owns while it uses the keyring.
    private var turn: BusName { get throws { try BusName("\(application).Making") } }

    private func id(in keyring: Keyring) async throws -> UUID {
        if let text = try await keyring.secret(attributes) {
            guard let id = UUID(uuidString: text) else {
                throw InstallationFailure.keyring(reason: "its secret for \(application) is not an id; remove it")
            }
            return id
        }
        let id = UUID()
        try await keyring.keep(id.text, label: "Installation id of \(application)", attributes)
        return id
    }
}
