/// One entry of an address list (D-Bus specification, "Server Addresses"): a transport, and keys with values.
struct ServerAddress: Sendable, Hashable {
    private struct Field: Sendable, Hashable {
        let key: String
        /// The unescaped bytes. A path need not be UTF-8.
        let value: [UInt8]
    }

    let transport: String
    private let fields: [Field]

    /// Parses an address list.
    /// - Throws: ``ConnectionError/noBus(reason:)`` if an entry is malformed or the list is empty.
    static func list(_ text: [UInt8]) throws(ConnectionError) -> [ServerAddress] {
        let entries = text.split(separator: UInt8(ascii: ";"))
        let addresses = entries.compactMap { ServerAddress($0) }
        guard !addresses.isEmpty, addresses.count == entries.count else {
            let text = ConnectionError.shown(String(decoding: text, as: UTF8.self))
            throw .noBus(reason: "“\(text)” is not a D-Bus address, such as unix:path=/run/user/1000/bus")
        }
        return addresses
    }

    /// - Returns: `nil` if the entry is malformed.
    init?(_ entry: some Collection<UInt8>) {
        let parts = entry.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        transport = String(decoding: parts[0], as: UTF8.self)
        var fields: [Field] = []
        for pair in parts[1].split(separator: UInt8(ascii: ",")) {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty, let value = Self.unescaped(halves[1]) else { return nil }
            fields.append(Field(key: String(decoding: halves[0], as: UTF8.self), value: value))
        }
        self.fields = fields
    }

    subscript(key: String) -> [UInt8]? { fields.first { $0.key == key }?.value }

    var serverID: String? { self["guid"].map { String(decoding: $0, as: UTF8.self) } }

    /// The entry as text, with escaped values and without NUL characters.
    var text: String {
        transport + ":" + fields.map { "\($0.key)=\(Self.escaped($0.value))" }.joined(separator: ",")
    }

    /// Percent-encodes all bytes outside `[-0-9A-Za-z_/.\*]`.
    static func escaped(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var escaped: [UInt8] = []
        for byte in bytes {
            if NameGrammar.isWordByte(byte) || "-/.\\*".utf8.contains(byte) {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// - Returns: `nil` for a malformed escape, and for a NUL byte, which would end the value in C.
    private static func unescaped(_ value: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(value)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            // `UInt8(_:radix:)` would accept a plus sign.
            guard rest.count >= 2, rest.first != UInt8(ascii: "+"),
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        return bytes.contains(0) ? nil : bytes
    }
}

extension ServerAddress {
    /// Tries addresses in order until one can be opened (D-Bus specification, "Server Addresses"). Each address gets an
    /// equal share of the remaining time, because a server may not answer at all.
    @DBusActor
    static func first<Opened>(
        of addresses: [ServerAddress], within time: Duration,
        _ open: (ServerAddress, ContinuousClock.Instant) async throws(ConnectionError) -> Opened
    ) async throws(ConnectionError) -> Opened {
        let end = ContinuousClock.now + time
        var failure = ConnectionError.noBus(reason: "no address")
        for (index, address) in addresses.enumerated() {
            let share = ContinuousClock.now.duration(to: end) / (addresses.count - index)
            do throws(ConnectionError) { return try await open(address, .now + share) } catch { failure = error }
        }
        throw failure
    }
}
