extension String {
    /// The text as a sentence of an error quotes it: callers choose names of any length.
    var quotable: String { shortened(to: 200) }

    /// A text with more bytes loses its middle, because a sentence ends with the reason.
    func shortened(to most: Int) -> String {
        guard utf8.count > most else { return self }
        let part = (most - 3) / 2
        return String(decoding: utf8.prefix(part), as: UTF8.self).droppingLastRepair + "…"
            + String(decoding: utf8.suffix(part), as: UTF8.self).droppingFirstRepair
    }

    /// The same with U+FFFD for each NUL character, which a D-Bus string cannot carry.
    var withoutNUL: String { utf8.contains(0) ? String(map { $0 == "\0" ? "\u{FFFD}" : $0 }) : self }

    // A cut in the middle of a character leaves up to three repaired bytes.
    private var droppingLastRepair: Substring {
        let last = lastIndex { $0 != "\u{FFFD}" }
        return self[..<(last.map { index(after: $0) } ?? startIndex)]
    }
    private var droppingFirstRepair: Substring { drop { $0 == "\u{FFFD}" } }
}
