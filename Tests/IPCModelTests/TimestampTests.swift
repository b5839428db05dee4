import IPCModel
import IPCTesting
import Testing

struct TimestampTests {
    @Test(arguments: [
        (UInt64(0), "1970-01-01T00:00:00Z"), (1_769_860_800_999, "2026-01-31T12:00:00Z"), (.max, ""),
        (253_402_300_799_000, "9999-12-31T23:59:59Z"), (253_402_300_800_000, ""),
    ])
    func isDescribedInUTC(_ milliseconds: UInt64, _ text: String) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).description == text)
    }

    @Test func additionAndSubtractionStayInRange() {
        let time = Timestamp(millisecondsSince1970: 1_000)
        #expect(time + .milliseconds(500) == Timestamp(millisecondsSince1970: 1_500))
        #expect(time + .seconds(-5) == time)
        #expect(Timestamp(millisecondsSince1970: .max) + .seconds(1) == Timestamp(millisecondsSince1970: .max))
        #expect(time + .microseconds(1_999) - time == .milliseconds(1))
        #expect(time - (time + .seconds(1)) == .zero && time < time + .seconds(1))
    }

    @Test func nowIsTheSystemClock() {
        let before = ContinuousClock.now
        let (first, second) = (Timestamp.now, Timestamp.now)
        #expect(first <= second && second - first <= ContinuousClock.now - before + .milliseconds(1))
        #expect(first.description > "2026-01-01T00:00:00Z")
    }
}
