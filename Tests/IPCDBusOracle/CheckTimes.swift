internal import Glibc
internal import IPCDBus

/// Measures how long it takes to check a message that is as expensive to check as its type allows. All other clients
/// have to wait during the check.
package struct CheckTimes {
    package struct Kind: Sendable, CustomStringConvertible {
        package let description: String
        fileprivate let type: String
        fileprivate let element: @Sendable (inout WireWriter) -> Void

        fileprivate init(
            _ description: String, _ type: String, _ element: @escaping @Sendable (inout WireWriter) -> Void
        ) {
            (self.description, self.type, self.element) = (description, type, element)
        }

        fileprivate init(_ type: String, _ element: @escaping @Sendable (inout WireWriter) -> Void) {
            self.init(type, type, element)
        }
    }

    private static func nested(_ type: String) -> String {
        String(repeating: "(", count: 31) + type + String(repeating: ")", count: 31)
    }

    /// Arrays with as many elements as fit into the message, because each element is as small as possible.
    package static let kinds: [Kind] = [
        Kind("at") { $0.number(1, size: 8) },
        Kind("a(yt)") { writer in
            writer.structure()
            writer.byte(1)
            writer.number(2, size: 8)
        },
        Kind("a((…t…)) 31 deep", "a" + nested("t")) { $0.number(1, size: 8) },
        Kind("a((…b…)) 31 deep", "a" + nested("b")) { writer in
            writer.structure()
            writer.number(1, size: 4)
        },
        Kind("a((…v…)) 31 deep", "a" + nested("v")) { writer in
            writer.structure()
            writer.raw([1, 121, 0, 5])
        },
        Kind("a(y)") { writer in
            writer.structure()
            writer.byte(1)
        },
        Kind("a(yyyyyyyb)") { writer in
            writer.structure()
            writer.raw([1, 2, 3, 4, 5, 6, 7])
            writer.number(1, size: 4)
        },
        Kind("ab") { $0.number(1, size: 4) },
        Kind("av") { $0.raw([1, 121, 0, 5]) },
        Kind("av of (y)", "av") { writer in
            writer.raw([3] + Array("(y)".utf8) + [0])
            writer.structure()
            writer.byte(5)
        },
        Kind("av of ay, empty", "av") { writer in
            writer.raw([2] + Array("ay".utf8) + [0])
            writer.number(0, size: 4)
        },
        Kind("av of a(y…y), empty", "av") { writer in
            writer.raw([255] + Array(("a(" + String(repeating: "y", count: 252) + ")").utf8) + [0])
            writer.number(0, size: 4)
            writer.structure()
        },
        Kind("av of a((…y…)), empty", "av") { writer in
            writer.raw([64] + Array(("a" + nested("y")).utf8) + [0])
            writer.number(0, size: 4)
            writer.structure()
        },
        Kind("av of variants 61 deep", "av") { writer in
            for _ in 0..<61 { writer.raw([1, 118, 0]) }
            writer.raw([1, 121, 0, 5])
        },
        Kind("as, empty", "as") { writer in
            writer.number(0, size: 4)
            writer.byte(0)
        },
        Kind("as, é", "as") { writer in
            writer.number(2, size: 4)
            writer.raw([0xc3, 0xa9, 0])
        },
        Kind("as, 27 × 日", "as") { writer in
            writer.number(81, size: 4)
            for _ in 0..<27 { writer.raw([0xe6, 0x97, 0xa5]) }
            writer.byte(0)
        },
        Kind("ao") { writer in
            writer.number(1, size: 4)
            writer.raw([47, 0])
        },
        Kind("ao, 200 bytes", "ao") { writer in
            writer.number(200, size: 4)
            for _ in 0..<100 { writer.raw([47, 97]) }
            writer.byte(0)
        },
        Kind("ag, empty", "ag") { $0.raw([0, 0]) },
        Kind("ag, 255 × y", "ag") { $0.raw([255] + [UInt8](repeating: 121, count: 255) + [0]) },
        Kind("ag, a((…y…))", "ag") { $0.raw([64] + Array(("a" + nested("y")).utf8) + [0]) },
        Kind("a(gggg)") { $0.raw([0, 0, 0, 0, 0, 0, 0, 0]) },
        Kind("a{sv}") { writer in
            writer.structure()
            writer.number(0, size: 4)
            writer.raw([0, 1, 121, 0, 5])
        },
        Kind("a{yv}") { writer in
            writer.structure()
            writer.raw([1, 1, 121, 0, 5])
        },
        Kind("aay, empty", "aay") { $0.number(0, size: 4) },
        Kind("aat, empty", "aat") { writer in
            writer.number(0, size: 4)
            writer.structure()
        },
        Kind("a…ay 32 deep", String(repeating: "a", count: 32) + "y") { writer in
            for level in 0..<31 { writer.number(UInt64(4 * (30 - level)), size: 4) }
        },
        Kind("a(s252y)", "a(s" + String(repeating: "y", count: 251) + ")") { writer in
            writer.structure()
            writer.number(0, size: 4)
            writer.raw([0] + [UInt8](repeating: 1, count: 251))
        },
        Kind("a(syqyq…)", "a(s" + String(repeating: "yq", count: 120) + ")") { writer in
            writer.structure()
            writer.number(0, size: 4)
            writer.byte(0)
            for _ in 0..<120 {
                writer.byte(1)
                writer.number(2, size: 2)
            }
        },
    ]

    private let message: Message

    /// - Parameter bytes: the approximate length of the array.
    package init(_ kind: Kind, bytes: Int) {
        var writer = WireWriter(isBigEndian: false)
        writer.raw([UInt8(ascii: "l"), 4, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
        for (code, type, text) in [(1, "o", "/a"), (2, "s", "a.b"), (3, "s", "M"), (8, "g", kind.type)]
            as [(UInt8, String, String)]
        {
            writer.structure()
            writer.raw([code, 1] + Array(type.utf8) + [0])
            if type == "g" {
                writer.byte(UInt8(text.utf8.count))
            } else {
                writer.number(UInt64(text.utf8.count), size: 4)
            }
            writer.raw(Array(text.utf8) + [0])
        }
        writer.setNumber(UInt32(writer.count - 16), at: 12)
        writer.structure()
        let body = writer.count
        writer.number(0, size: 4)
        writer.align(ValueGenerator.alignment(kind.type.utf8.dropFirst().first ?? 0))
        let start = writer.count
        var before = start
        while writer.count - start <= bytes {
            before = writer.count
            kind.element(&writer)
        }
        writer.removeLast(to: before)
        writer.setNumber(UInt32(writer.count - start), at: body)
        writer.setNumber(UInt32(writer.count - body), at: 4)
        do { message = try Reading.message(writer.bytes, []) } catch { preconditionFailure("\(kind): \(error)") }
    }

    /// The time of one check, in milliseconds.
    package func milliseconds() -> Double {
        let start = Self.now()
        do { try message.checkArguments() } catch { preconditionFailure("\(error)") }
        return Double(Self.now() - start) / 1_000_000
    }

    /// Processor time of this thread, which does not include concurrent work of others.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
