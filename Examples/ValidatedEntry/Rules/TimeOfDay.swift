/// A time that is being entered: an hour from 0 to 23 and a minute from 0 to 59, each perhaps incomplete.
///
/// 時 may be left out: the hour takes as many digits as an hour can have, so 1405 is 14時05分 and 905 is 9時05分. A colon is
/// accepted in place of 時.
struct TimeOfDay {
    private let hour: String
    private let minute: String
    /// Whether 時 was entered. It ends the hour, so 1時30分 is not read as 13時0分.
    private let isHourEnded: Bool

    init?(_ text: String) {
        var text = text.replacing(":", with: "時")
        if text.hasSuffix("分") { text.removeLast() }
        let parts = text.split(separator: "時", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy(\.isDigits) else { return nil }
        let digits = parts.joined()
        // If the user deletes the hour, the digits of the minutes are read as a new hour and minutes.
        let hasHour = parts.count == 2 && !parts[0].isEmpty
        let hour = hasHour ? String(parts[0]) : Self.hour(of: digits)
        let minute = String(digits.dropFirst(hour.count))
        guard hour.count <= 2, (Int(hour) ?? 0) < 24 else { return nil }
        guard minute.count <= 2, (Int(minute.prefix(1)) ?? 0) < 6 else { return nil }
        (self.hour, self.minute, isHourEnded) = (hour, minute, hasHour)
    }

    private static func hour(of digits: String) -> String {
        let two = digits.prefix(2)
        return (Int(two) ?? 0) < 24 ? String(two) : String(digits.prefix(1))
    }

    /// The time as entered so far. 分 is added only after the second digit of the minutes, so that one can delete it.
    var text: String { hour + (isHourEnded || !minute.isEmpty ? "時" : "") + minute + (minute.count == 2 ? "分" : "") }

    /// The complete time, with two minute digits and no zero before the hour; `nil` while hour or minute is missing.
    var complete: String? {
        guard let hour = Int(hour), let minute = Int(minute) else { return nil }
        return "\(hour)時\(minute < 10 ? "0" : "")\(minute)分"
    }
}
