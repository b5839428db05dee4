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

    @Test(arguments: [
        "", "0", "0ms", "-1", "+1", "1 s", "s", "ms", "1d", "1.", ".5", "1.2345", "1..2", "1.2.3", "0x10", "1e3", "٣",
        "4294967296ms", "9223372036854775807", "99999999999999999999", "inf", "1s2m", "0.0001",
    ])
    func refuses(_ text: String) {
        #expect(TimeSpan(argument: text) == nil)
    }
}
