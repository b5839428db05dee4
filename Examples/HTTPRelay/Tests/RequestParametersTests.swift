import Foundation
import HTTPRelay
import Testing

/// The time that every request has.
struct RequestParametersTests {
    @Test(arguments: [0, 951_782_399, 951_782_400, 1_328_054_399.999, 1_709_210_096, 4_102_444_800, -1])
    func `the time is written as DateFormatter does, in UTC`(_ seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyyMMddHHmmss"
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        #expect(
            RequestParameters(deviceID: "d", serverURL: "http://x/", date: date).dateTime
                == formatter.string(from: date))
    }

    @Test func `a known time has a known text`() {
        let date = Date(timeIntervalSince1970: 1_328_054_399)
        #expect(RequestParameters(deviceID: "d", serverURL: "http://x/", date: date).dateTime == "20120131235959")
    }
}
