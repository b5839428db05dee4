import IPCModel
import Testing

@Suite("Message fit")
struct MessageFitTests {
    private static let kib: UInt64 = 1_024
    private static let mib: UInt64 = 1_024 * 1_024

    @Test("values above 64 KiB travel as descriptors, the rest inline")
    func boundary() throws {
        let sizes = [0, 64 * Self.kib, 64 * Self.kib + 1, 5 * Self.mib, 1]
        let fit = try Limits().messageFit(sizes)
        #expect(fit.descriptors == [2, 3])
        #expect(fit.inlineBytes == 64 * Self.kib + 1)
        #expect(try Limits().messageFit([]).descriptors.isEmpty)
    }

    @Test("the largest 16 travel as descriptors, and the first among equals")
    func largest() throws {
        let sizes = (1...20).map { UInt64($0) * 100 * Self.kib }
        let fit = try Limits().messageFit(sizes.reversed())
        #expect(fit.descriptors == Array(0..<16))
        #expect(fit.inlineBytes == 1_000 * Self.kib)
        #expect(try Limits().messageFit(sizes).descriptors == Array(4..<20))
        let equal = Array(repeating: Self.mib, count: 32)
        #expect(try Limits().messageFit(equal).descriptors == Array(0..<16))
    }

    @Test("16 MiB fit inline, a byte more does not")
    func inline() throws {
        let most = Array(repeating: 64 * Self.kib, count: 256)
        #expect(try Limits().messageFit(most).inlineBytes == 16 * Self.mib)
        #expect(
            throws: LimitExceeded(
                limit: "inline-message-bytes", use: 0, request: 16 * Self.mib + 1, allowed: 16 * Self.mib)
        ) { try Limits().messageFit(most + [1]) }
        // Negative control: as a descriptor, the same number of bytes is accepted.
        #expect(try Limits().messageFit([16 * Self.mib + 1]).inlineBytes == 0)
    }

    @Test("a 17th value that is too large for inline is one descriptor too many")
    func descriptors() throws {
        let sixteen = Array(repeating: 100 * Self.mib, count: 16)
        #expect(try Limits().messageFit(sixteen + [16 * Self.mib]).inlineBytes == 16 * Self.mib)
        #expect(throws: LimitExceeded(limit: "descriptors-per-message", use: 0, request: 17, allowed: 16)) {
            try Limits().messageFit(sixteen + [16 * Self.mib + 1])
        }
    }

    @Test("one value has at most value-bytes")
    func value() throws {
        var limits = Limits()
        limits.valueBytes = 1_000
        #expect(try limits.messageFit([1_000, 999]).inlineBytes == 1_999)
        #expect(throws: LimitExceeded(limit: "value-bytes", use: 0, request: 1_001, allowed: 1_000)) {
            try limits.messageFit([1_000, 1_001])
        }
    }

    @Test("values that fit inline may stay inline")
    func prefersInline() throws {
        #expect(try Limits().messageFit([16 * Self.mib - 1, 1], prefersInline: true).descriptors == [])
        #expect(try Limits().messageFit([16 * Self.mib, 1], prefersInline: true).descriptors == [0])
    }
}
