internal import IPCDBus

/// Checks that two ways to read a dictionary `a{sv}` give the same result: reading each key and type, and matching the
/// beginning of each entry against known bytes.
enum KnownBeginnings {
    private struct Entry {
        let key: String
        let type: Signature?
        var value: Value?
    }

    static func difference(_ message: Message, _ random: inout Randomness) -> String? {
        var entries: [Entry] = []
        let plain = Result { () throws(MessageError) in try read(message, &entries) }
        let known = entries
        let skipsType = random.once(in: 2)
        var again: [Entry] = []
        let other = Result { () throws(MessageError) in try read(message, by: known, skipsType, &again) }
        switch (plain, other) {
        case (.success, .success):
            let isSame =
                entries.count == again.count
                && zip(entries, again).allSatisfy { one, two in
                    one.key == two.key && one.value.map(Text.init) == two.value.map(Text.init)
                }
            return isSame ? nil : "an entry with a known beginning has another value"
        case (.failure, .failure): return nil
        case (.failure(let error), .success): return "the known beginning of an entry hides an error: \(error)"
        case (.success, .failure(let error)): return "the known beginning of an entry is an error: \(error)"
        }
    }

    /// The text of a value, for comparisons: NaN does not equal itself, but its text does.
    private struct Text: Equatable {
        let text: String
        init(_ value: Value) { text = "\(value)" }
    }

    private static func read(_ message: Message, _ entries: inout [Entry]) throws(MessageError) {
        var reader = MessageReader(message)
        let whole = try reader.enterDictionary()
        while !reader.isAtEnd { try readEntry(&reader, &entries) }
        try reader.leave(whole)
    }

    private static func readEntry(_ reader: inout MessageReader, _ entries: inout [Entry]) throws(MessageError) {
        let outer = try reader.enterEntry()
        let key = try String(from: &reader)
        entries.append(Entry(key: key, type: try? Signature(reader.variantSignature), value: nil))
        entries[entries.count - 1].value = try Value(from: &reader)
        try reader.leave(outer)
    }

    private static func read(
        _ message: Message, by known: [Entry], _ skipsType: Bool, _ entries: inout [Entry]
    ) throws(MessageError) {
        var reader = MessageReader(message)
        let whole = try reader.enterDictionary()
        while !reader.isAtEnd {
            guard entries.count < known.count, case let entry = known[entries.count],
                let type = entry.type, type.isSingleType, !skipsType || entry.key.utf8.count >= 3
            else {
                try readEntry(&reader, &entries)
                continue
            }
            let beginning = EntryBeginning(key: entry.key, type: skipsType ? nil : type)
            guard let mark = try reader.entryMark(), mark == beginning.mark,
                let outer = try reader.enterValue(beginning)
            else {
                try readEntry(&reader, &entries)
                continue
            }
            let value = beginning.hasType ? try Value(reading: &reader) : try Value(from: &reader)
            entries.append(Entry(key: entry.key, type: type, value: value))
            try reader.leave(outer)
        }
        try reader.leave(whole)
    }
}
