import IPC
import IPCTools

extension JSONValue {
    /// A version with its content.
    static func version(_ version: PasteboardVersion, of board: String) -> JSONValue {
        .object([
            "pasteboard": .string(board),
            "change-count": .count(version.changeCount),
            "source-application": .nonEmpty(version.source.application),
            "source-strength": .string(version.source.strength.rawValue),
            "time": version.millisecondsSince1970.map { .count($0) },
            "size": .count(version.byteCount),
            "sensitive": version.isSensitive ? .boolean(true) : nil,
            "once": version.isOnce ? .boolean(true) : nil,
            "expires": version.endsMillisecondsSince1970.map { .count($0) },
            "items": .items(version.items),
        ])
    }

    /// What is known of a version without its content.
    static func facts(_ version: PasteboardVersionInfo, of board: String) -> [Member] {
        [
            Member("pasteboard", .string(board)),
            Member("change-count", .count(version.changeCount)),
            Member("item-count", .unsigned(version.itemCount)),
            Member("size", .count(version.byteCount)),
            Member("types", .array(version.types.map { .array($0.map { .string($0.text) }) })),
            JSONValue.nonEmpty(version.source.application).map { Member("source-application", $0) },
            Member("source-strength", .string(version.source.strength.rawValue)),
            version.millisecondsSince1970.map { Member("time", .count($0)) },
            version.isSensitive ? Member("sensitive", .boolean(true)) : nil,
            version.isOnce ? Member("once", .boolean(true)) : nil,
            version.endsMillisecondsSince1970.map { Member("expires", .count($0)) },
        ].compactMap { $0 }
    }
}

extension PasteboardVersionInfo {
    /// The types of all items in order, each once.
    var distinctTypes: [String] {
        var told: Set<ContentType> = []
        return types.joined().filter { told.insert($0).inserted }.map(\.text)
    }

    /// What is special about it, in words.
    var marks: String {
        [isSensitive ? "sensitive" : nil, isOnce ? "once" : nil, endsMillisecondsSince1970 == nil ? nil : "expires"]
            .compactMap { $0 }.joined(separator: ",")
    }
}
