import IPC
import IPCModel

import class IPCDBus.DBusActor

/// A version of a pasteboard as the desktop gets it. Nothing is read before somebody pastes: so large values cost nothing, what was
/// promised is made only then, and what is for one reader is his.
struct BoardOffer: Sendable {
    private let board: Pasteboard
    private let changeCount: UInt64
    private let targets: OfferedTargets
    private let isMarked: Bool

    /// What tells clipboard managers to keep their hands off; the value of ``ContentType/passwordManagerHint``.
    private static let mark = "secret"

    init(_ version: PasteboardVersionInfo, on board: Pasteboard) {
        self.board = board
        changeCount = version.changeCount
        targets = OfferedTargets(version.types)
        isMarked = version.isSensitive || version.isOnce
    }

    /// The targets, for people.
    var typeList: String { clipboardOffer.targets.joined(separator: ", ") }

    var clipboardOffer: ClipboardOffer {
        let marks = isMarked ? [ContentType.passwordManagerHint.text] : []
        return ClipboardOffer(targets: targets.targets + marks) { target in try await content(for: target) }
    }

    @DBusActor
    private func content(for target: String) async throws -> OfferedContent {
        if target == ContentType.passwordManagerHint.text {
            return OfferedContent(value: .text(Self.mark), target: target)
        }
        let places = targets.places(of: target)
        // One question for all items: what is for one reader is gone with the first.
        let version = try await board.version(changeCount, types: Array(Set(places.map(\.type))))
        let values = places.compactMap { place in
            version.items.indices.contains(Int(place.item)) ? version.items[Int(place.item)][place.type]?.value : nil
        }
        guard !values.isEmpty else { throw ClipboardFailure.refused }
        return try OfferedTargets.content(values, for: target)
    }
}
