import IPC
import IPCModel

/// How the items of a pasteboard are offered to programs of the desktop, whose clipboard holds one thing only.
struct OfferedTargets: Sendable, Hashable {
    /// Where a content stands: the place of its item, and its type there.
    struct Place: Sendable, Hashable {
        let item: UInt32
        let type: ContentType
    }

    /// The names, in the order of preference.
    let targets: [String]
    private let places: [String: [Place]]
    private static let textNames = ["UTF8_STRING", "text/plain", "TEXT", "STRING"]

    /// - Parameter items: the types of each item, in the writer's order. Texts and lists of URLs of all items are offered
    ///   together; of any other type the first one.
    init(_ items: [[ContentType]]) {
        var targets: [String] = []
        var places: [String: [Place]] = [:]
        func offer(_ names: [String], _ given: [Place]) {
            for name in names where places[name] == nil {
                targets.append(name)
                places[name] = given
            }
        }
        let rows = items.enumerated().flatMap { item, types in types.map { Place(item: UInt32(item), type: $0) } }
        for row in rows where row.type != .passwordManagerHint {
            if row.type.isUTF8PlainText {
                let texts = items.enumerated().compactMap { item, types in
                    types.first(where: \.isUTF8PlainText).map { Place(item: UInt32(item), type: $0) }
                }
                offer([ContentType.utf8PlainText.text] + Self.textNames, texts)
            } else {
                offer([row.type.text], row.type == .url ? rows.filter { $0.type == .url } : [row])
            }
        }
        (self.targets, self.places) = (targets, places)
    }

    /// Where the content of a target stands; empty where it is not offered.
    func places(of target: String) -> [Place] { places[target] ?? [] }

    /// Puts the contents of a target together.
    /// - Throws: `payloadInvalid` where a text cannot be written in what the target stands for.
    static func content(_ values: [Representation.Value], for target: String) throws(IPCError) -> OfferedContent {
        guard textNames.contains(target) || target == ContentType.utf8PlainText.text else {
            guard values.count > 1 else { return OfferedContent(value: values[0], target: target) }
            return OfferedContent(value: .bytes(Array(try parts(values).joined())), target: target)
        }
        // TEXT leaves the encoding to who gives it.
        let named = target == "TEXT" ? "UTF8_STRING" : target
        guard values.count > 1 || target == "STRING" else { return OfferedContent(value: values[0], target: named) }
        let text = Array(try parts(values).joined(separator: [UInt8(ascii: "\n")]))
        guard target == "STRING" else { return OfferedContent(value: .bytes(text), target: named) }
        return OfferedContent(value: .bytes(try latin1(text)), target: named)
    }

    private static func parts(_ values: [Representation.Value]) throws(IPCError) -> [[UInt8]] {
        try values.map { (value) throws(IPCError) in
            if case .file(let file) = value { try file.bytes() } else { value.content }
        }
    }

    /// ICCCM §2.6.2: `STRING` is ISO 8859-1.
    private static func latin1(_ text: [UInt8]) throws(IPCError) -> [UInt8] {
        let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
        let bytes = scalars.compactMap { UInt8(exactly: $0.value) }
        guard bytes.count == scalars.count else {
            throw IPCError(
                .payloadInvalid, "the text holds characters that the target STRING has not; ask for UTF8_STRING")
        }
        return bytes
    }
}
