import IPC
import IPCModel
import IPCTools

extension JSONValue {
    static func version(_ version: PasteboardVersion, of board: String) -> JSONValue {
        .object([
            "pasteboard": .string(board),
            "change-count": .count(version.changeCount),
            "source-application": .nonEmpty(version.source.application),
            "source-strength": .string(version.source.strength.rawValue),
            "time": version.writtenAt.map(JSONValue.time),
            "size": .count(version.byteCount),
            "sensitive": version.isSensitive ? .boolean(true) : nil,
            "once": version.isOnce ? .boolean(true) : nil,
            "expires": version.expiresAt.map(JSONValue.time),
            "items": .items(version.items),
        ])
    }

    /// The result of `get` with `--output`. The representation is nil if the pasteboard was empty.
    static func written(
        _ representation: Representation?, _ version: PasteboardVersionInfo?, of board: String, to path: String?
    ) -> JSONValue {
        .object([
            "pasteboard": .string(board),
            "change-count": .count(version?.changeCount ?? 0),
            "type": representation.map { .string($0.type.text) },
            "size": .count(UInt64(representation?.byteCount ?? 0)),
            "output": path.map { .string($0) },
        ])
    }

    /// The types of each item.
    static func types(_ types: [[ContentType]]) -> JSONValue {
        .array(types.map { .array($0.map { .string($0.text) }) })
    }

    /// A version without its content.
    static func facts(_ version: PasteboardVersionInfo, of board: String) -> [Member] {
        [
            Member("pasteboard", .string(board)),
            Member("change-count", .count(version.changeCount)),
            Member("item-count", .unsigned(version.itemCount)),
            Member("size", .count(version.byteCount)),
            Member("types", .types(version.types)),
            JSONValue.nonEmpty(version.source.application).map { Member("source-application", $0) },
            Member("source-strength", .string(version.source.strength.rawValue)),
            version.writtenAt.map { Member("time", .time($0)) },
            version.isSensitive ? Member("sensitive", .boolean(true)) : nil,
            version.isOnce ? Member("once", .boolean(true)) : nil,
            version.expiresAt.map { Member("expires", .time($0)) },
        ].compactMap { $0 }
    }
}

extension PasteboardVersionInfo {
    /// The special properties of the version, as words separated by commas.
    var marks: String {
        [isSensitive ? "sensitive" : nil, isOnce ? "once" : nil, expiresAt == nil ? nil : "expires"]
            .compactMap { $0 }.joined(separator: ",")
    }
}

extension [[ContentType]] {
    /// All types in order, each once.
    var distinct: [String] {
        var known: Set<ContentType> = []
        return joined().filter { known.insert($0).inserted }.map(\.text)
    }
}
