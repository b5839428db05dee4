public import FoundationEssentials
public import IPC

extension Date {
    /// Creates a date from a timestamp, which counts whole milliseconds.
    public init(_ timestamp: Timestamp) {
        self.init(timeIntervalSince1970: Double(timestamp.millisecondsSince1970) / 1_000)
    }
}

extension Timestamp {
    /// Creates a timestamp from a date, rounded to the nearest millisecond. Dates before 1970 become the start of 1970.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        self.init(millisecondsSince1970: milliseconds >= 0x1p64 ? .max : UInt64(max(0, milliseconds)))
    }
}
