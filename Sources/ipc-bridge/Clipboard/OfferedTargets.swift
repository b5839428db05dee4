import IPC
import IPCModel

/// The targets under which a pasteboard's items are offered on a desktop's clipboard, which holds only one item.
struct OfferedTargets: Sendable {
    /// Where content is on the pasteboard: the index of its item, and its type.
    struct Place: Sendable {
        let item: UInt32
        let type: ContentType
    }

    /// The names of the targets, in order of preference.
    let targets: [String]
    private let places: [String: [Place]]
    private static let textNames = ["UTF8_STRING", "text/plain", "TEXT", "STRING"]

    /// - Parameter items: the types of each item, in the writer's order. The texts of all items are offered together,
    ///   and so are their URLs. Any other type is offered from the first item that has it.
    init(_ items: [[ContentType]]) {
        var targets: [String] = []
        var places: [String: [Place]] = [:]
        func offer(_ names: [String], _ given: [Place]) {
            for name in names where places[name] == nil {
                targets.append(name)
                places[name] = given
            }
        }
        let rows = items.enumerated().map { item, types in types.map { Place(item: UInt32(item), type: $0) } }
        for row in rows.joined() where row.type != .passwordManagerHint {
            if row.type.isUTF8PlainText {
                let texts = rows.compactMap { $0.first(where: \.type.isUTF8PlainText) }
                offer([ContentType.utf8PlainText.text] + Self.textNames, texts)
            } else {
                offer([row.type.text], row.type == .url ? rows.joined().filter { $0.type == .url } : [row])
            }
        }
        (self.targets, self.places) = (targets, places)
    }

    /// The locations on the pasteboard of a target's content; empty if the target is not offered.
    func places(of target: String) -> [Place] { places[target] ?? [] }

    /// Combines the values that several items have for one target.
    /// - Throws: `payloadInvalid` if the target's encoding cannot represent the text.
    static func content(_ values: [Representation.Value], for target: String) throws(IPCError) -> ClipboardContent {
        guard textNames.contains(target) || target == ContentType.utf8PlainText.text else {
            guard values.count > 1 else { return ClipboardContent(value: values[0], target: target) }
            return ClipboardContent(value: .bytes(Array(try parts(values).joined())), target: target)
        }
        // The program that provides the target TEXT chooses its encoding.
        let named = target == "TEXT" ? "UTF8_STRING" : target
        guard values.count > 1 || target == "STRING" else { return ClipboardContent(value: values[0], target: named) }
        let text = Array(try parts(values).joined(separator: [UInt8(ascii: "\n")]))
        return ClipboardContent(value: .bytes(target == "STRING" ? try latin1(text) : text), target: named)
    }

    private static func parts(_ values: [Representation.Value]) throws(IPCError) -> [[UInt8]] {
        try values.map { (value) throws(IPCError) in
            if case .file(let file) = value { try file.bytes() } else { value.content }
        }
    }

    /// Encodes text for the target `STRING`, which is ISO 8859-1 (ICCCM §2.6.2).
    private static func latin1(_ text: [UInt8]) throws(IPCError) -> [UInt8] {
        let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
        let bytes = scalars.compactMap { UInt8(exactly: $0.value) }
        guard bytes.count == scalars.count else {
            throw IPCError(
                .payloadInvalid, "the target STRING cannot represent all characters of the text; request UTF8_STRING")
        }
        return bytes
    }
}

extension ClipboardOffer {
    /// Creates an offer of a pasteboard version. The version is read only when another program pastes. Until then,
    /// large values cost nothing, and no promised content is fetched. Pasting a version that can be read only once
    /// consumes it.
    init(_ version: PasteboardVersionInfo, of board: Pasteboard) {
        let (offered, changeCount) = (OfferedTargets(version.types), version.changeCount)
        let hint = ContentType.passwordManagerHint.text
        let isMarked = version.isSensitive || version.isOnce
        self.init(targets: offered.targets + (isMarked ? [hint] : [])) { target in
            // The value `secret` of this hint makes clipboard managers ignore the content.
            if target == hint { return ClipboardContent(value: .text("secret"), target: target) }
            let places = offered.places(of: target)
            // One call reads all items, because the first call consumes a version that can be read only once.
            let held = try await board.version(changeCount, types: Array(Set(places.map(\.type))))
            let values = places.compactMap { place in
                held.items.indices.contains(Int(place.item)) ? held.items[Int(place.item)][place.type]?.value : nil
            }
            guard !values.isEmpty else { throw ClipboardFailure.refused }
            return try OfferedTargets.content(values, for: target)
        }
    }
}
