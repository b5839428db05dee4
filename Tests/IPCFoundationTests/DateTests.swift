import Foundation
import IPC
import IPCFoundation
import Testing

struct DateTests {
    @Test(arguments: [UInt64(0), 1, 999, 1_769_860_800_123, 253_402_300_799_999])
    func aTimestampSurvivesConversionToADateAndBack(_ milliseconds: UInt64) {
        let timestamp = Timestamp(millisecondsSince1970: milliseconds)
        #expect(Timestamp(Date(timestamp)) == timestamp)
    }

    @Test func dateAndTimestampDescribeTheSameTime() {
        let timestamp = Timestamp(millisecondsSince1970: 1_769_860_800_999)
        #expect(Date(timestamp).formatted(.iso8601) == timestamp.description)
    }

    @Test func datesOutOfRangeAreClamped() {
        #expect(Timestamp(Date.distantPast) == Timestamp(millisecondsSince1970: 0))
        #expect(Timestamp(Date(timeIntervalSince1970: 1e30)) == Timestamp(millisecondsSince1970: .max))
    }
}
