import IPCModel
import IPCTools
import Testing

@Suite("A time on the command line")
struct TimeSpanTests {
    @Test(arguments: [
        ("20", 20_000), ("1", 1_000), ("0.5", 500), ("1.5s", 1_500), ("300ms", 300), ("2m", 120_000), ("2min", 120_000),
        ("1h", 3_600_000), ("0.001", 1), ("1.25m", 75_000), ("4294967295ms", 4_294_967_295),
    ])
    func accepts(_ text: String, _ milliseconds: Int) {
        #expect(TimeSpan(argument: text)?.duration == .milliseconds(milliseconds))
    }

    @Test func isPrintedWithItsUnit() {
        #expect(TimeSpan(argument: "2")?.defaultValueDescription == "2s")
        #expect(TimeSpan(argument: "300ms")?.defaultValueDescription == "300ms")
    }

    @Test(arguments: [
        "", "0", "0ms", "-1", "+1", "1 s", "s", "ms", "1d", "1.", ".5", "1.2345", "1..2", "1.2.3", "0x10", "1e3", "٣",
        "4294967296ms", "9223372036854775807", "99999999999999999999", "inf", "1s2m", "0.0001",
    ])
    func refuses(_ text: String) {
        #expect(TimeSpan(argument: text) == nil)
    }
}

@Suite("A long time on the command line")
struct LongTimeSpanTests {
    @Test(arguments: [
        ("10m", UInt64(600_000)), ("30d", 2_592_000_000), ("2w", 1_209_600_000), ("1.5d", 129_600_000), ("1ms", 1),
        ("36525d", 3_155_760_000_000), ("90", 90_000),
    ])
    func accepts(_ text: String, _ milliseconds: UInt64) {
        #expect((try? TimeSpan.parseLong(text))?.milliseconds == milliseconds)
    }

    @Test(arguments: ["", "0d", "36526d", "1y", "-1d", "d", "9999999999999999w", "1d2h"])
    func refuses(_ text: String) { #expect((try? TimeSpan.parseLong(text)) == nil) }
}

@Suite("Sizes and lengths of time for people")
struct QuantityTests {
    @Test(arguments: [
        (UInt64(0), "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_536, "1.5 KiB"), (1_048_575, "1.0 MiB"),
        (1_048_576, "1.0 MiB"), (1_073_741_824, "1.0 GiB"), (.max, "16.0 EiB"), (10_239, "10.0 KiB"),
    ])
    func writesSizes(_ bytes: UInt64, _ text: String) { #expect(ByteSize.text(bytes) == text) }

    @Test(arguments: [
        (Int64(0), "0 s"), (-5_000, "0 s"), (999, "0 s"), (119_999, "119 s"), (120_000, "2 min"),
        (7_199_999, "119 min"),
        (7_200_000, "2 h"), (172_799_999, "47 h"), (172_800_000, "2 days"), (2_592_000_000, "30 days"),
    ])
    func writesLengths(_ milliseconds: Int64, _ text: String) {
        #expect(TimeLength.text(.milliseconds(milliseconds)) == text)
    }
}
