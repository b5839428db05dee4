internal import IPCDBus

/// Compares IPCDBus with libdbus, the reference implementation: both accept or reject the same messages, and read the
/// same values from them.
package struct Oracle {
    /// An input that IPCDBus and libdbus judge differently by mistake.
    package struct Difference: CustomStringConvertible, Sendable {
        package let seed: UInt64
        package let index: UInt64
        package let reason: String
        package let bytes: [UInt8]

        package var description: String {
            "seed \(seed), index \(index): \(reason)\n\(bytes.map(Oracle.hex).joined())"
        }
    }

    private let seed: UInt64
    /// The number of messages that both implementations accepted; ``rejected`` counts those that both rejected.
    package private(set) var accepted = 0
    package private(set) var rejected = 0
    package private(set) var intended: [IntendedDifference: Int] = [:]

    private let peer = DescriptorPeer()

    package init(seed: UInt64) { self.seed = seed }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// Generates the input with this index, and compares how both implementations read it.
    package mutating func difference(index: UInt64) -> Difference? {
        if index % 64 == 5 { return descriptorDifference(index) }
        let bytes = MessageGenerator.message(seed: seed, index: index)
        guard let reason = reason(bytes, index) else { return nil }
        return Difference(seed: seed, index: index, reason: reason, bytes: bytes)
    }

    private func descriptorDifference(_ index: UInt64) -> Difference? {
        let count = 1 + Int(index / 64) % DescriptorPeer.mostDescriptors
        let bytes = MessageGenerator.message(seed: seed, index: index, descriptorCount: count)
        guard ReferenceMessage.length(bytes) == bytes.count else { return nil }
        guard let peer else { return Difference(seed: seed, index: index, reason: "there is no socket", bytes: []) }
        guard let reason = peer.difference(bytes, descriptorCount: count) else { return nil }
        return Difference(seed: seed, index: index, reason: "with \(count) descriptors: \(reason)", bytes: bytes)
    }

    /// Compares one input; `nil` if there is no difference, or only an intended one.
    package mutating func reason(_ input: [UInt8], _ index: UInt64 = 0) -> String? {
        var random = Randomness(seed: ~seed, index: index)
        var bytes = input
        guard let length = ReferenceMessage.length(bytes) else {
            rejected += 1
            return Reading(bytes).message == nil ? nil : "IPCDBus accepts a frame that libdbus rejects"
        }
        // Remove the bytes after the message: they may be anything.
        if length > 0, length < bytes.count { bytes.removeLast(bytes.count - length) }
        let reading = Reading(bytes)
        if let conflict = reading.conflict { return conflict }
        if let reason = reason(bytes, reading) { return reason }
        guard length == bytes.count else { return nil }
        if index % 8 == 0, let reason = arrival(bytes, &random) { return reason }
        guard let message = try? Reading.message(bytes, []), message.signature.hasPrefix("a{sv}") else { return nil }
        return KnownBeginnings.difference(message, &random)
    }

    private mutating func reason(_ bytes: [UInt8], _ reading: Reading) -> String? {
        switch (ReferenceMessage(bytes), reading.message) {
        case (nil, nil):
            rejected += 1
            return nil
        case (nil, let message?):
            guard let difference = IntendedDifference.acceptance(bytes, message) else {
                return "IPCDBus accepts what libdbus rejects: \(ReferenceMessage.refusal(bytes))"
            }
            intended[difference, default: 0] += 1
            return nil
        case (let reference?, nil):
            let differences = IntendedDifference.rejections(reference, descriptorCount: 0)
            guard !differences.isEmpty else {
                return "IPCDBus rejects what libdbus accepts: \(reading.error.map(\.description) ?? "")"
            }
            for difference in differences { intended[difference, default: 0] += 1 }
            return nil
        case (let reference?, let message?):
            let differences = IntendedDifference.rejections(reference, descriptorCount: 0)
            guard differences.isEmpty else { return "IPCDBus accepts what it is meant to reject: \(differences)" }
            accepted += 1
            return reference.difference(message) ?? ValueComparison.difference(reading.values, reference)
                ?? BothDirections.difference(message, reading.values)
        }
    }

    private func arrival(_ bytes: [UInt8], _ random: inout Randomness) -> String? {
        // IPCDBus cannot find the end of a message of another protocol version.
        guard bytes[3] == 1 else { return nil }
        var frames = [bytes]
        while random.once(in: 2) {
            let other = MessageGenerator.message(seed: seed, index: random.next())
            guard ReferenceMessage.length(other) == other.count, other[3] == 1 else { continue }
            frames.insert(other, at: random.below(frames.count + 1))
        }
        let cutting = random.once(in: 4) ? 1 + random.below(frames[frames.count - 1].count - 1) : 0
        return ArrivalInPieces.difference(frames, cutting: cutting, &random)
    }
}
