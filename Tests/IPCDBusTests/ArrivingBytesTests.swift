import Testing

@testable import IPCDBus

/// The limit on the memory for arguments of calls in progress.
@DBusActor
struct ArrivingBytesTests {
    private static let megabyte = 1 << 20
    private let bound = ArrivingBytes(most: 32 << 20)

    private func caller(_ number: Int) throws -> ArrivingBytes.Holder { .caller(try BusName(":1.\(number)")) }

    @Test func `one caller may use half, and a single call is always accepted`() throws {
        let one = try caller(1)
        let first = try #require(bound.charge(100 << 20, to: one))
        #expect(bound.charge(2 << 20, to: one) == nil)
        #expect(!bound.isWithinShare(one))
        withExtendedLifetime(first) {}
    }

    @Test func `callers together reach the bound, and another caller still has room`() throws {
        var charges: [ArrivingBytes.Charge] = []
        for number in 0..<4 {
            let caller = try caller(number)
            charges.append(try #require(bound.charge(8 << 20, to: caller)))
        }
        // The bound is reached. A caller that already has a share gets no more; one that has nothing still gets some.
        let (first, large, small) = (try caller(0), try caller(5), try caller(6))
        #expect(bound.charge(2 << 20, to: first) == nil)
        charges.append(try #require(bound.charge(16 << 20, to: large)))
        #expect(bound.charge(2 << 20, to: small) == nil)
        // A small amount is granted no matter how much other callers have.
        charges.append(try #require(bound.charge(Self.megabyte, to: small)))
        #expect(bound.isWithinShare(small))
        #expect(!bound.isWithinShare(large))
        charges = []
        #expect(bound.isWithinShare(large))
        #expect(bound.charge(16 << 20, to: large) != nil)
    }

    @Test func `a release runs its waiting action once`() async throws {
        var charge = bound.charge(8 << 20, to: try caller(1))
        var count = 0
        await withCheckedContinuation { continuation in
            bound.onRelease {
                count += 1
                continuation.resume()
            }
            #expect(charge != nil)
            charge = nil
        }
        #expect(count == 1)
    }

    @Test(arguments: [10, 200, 201, 5_000, 1 << 20])
    func `a long text keeps its beginning and its end`(_ length: Int) {
        for letter in ["a", "é", "日", "😀"] {
            let text = "<" + String(repeating: letter, count: length) + ">"
            let short = text.quotable
            #expect(short.utf8.count <= 200 && short.hasPrefix("<") && short.hasSuffix(">"))
            #expect(short == text || short.contains("…") && !short.contains("\u{FFFD}"))
        }
    }
}
