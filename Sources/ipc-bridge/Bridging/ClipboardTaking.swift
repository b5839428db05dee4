import IPC
import IPCModel

import class IPCDBus.DBusActor

/// Takes what another program has copied, as one item of a pasteboard.
struct ClipboardTaking: Sendable {
    /// The most bytes that are taken of one copy, in all its types.
    let mostBytes: Int

    /// The item; nil where there is nothing that a pasteboard can have.
    /// - Throws: `superseded` where the clipboard has changed meanwhile.
    @DBusActor
    func item(
        _ taken: TakenTargets, from clipboard: any DesktopClipboard, _ report: BridgeReport
    ) async throws(ClipboardFailure) -> PasteboardItem? {
        var room = mostBytes
        var representations: [Representation] = []
        for row in taken.rows {
            guard let value = try await value(of: row, from: clipboard, atMost: room, report) else { continue }
            room -= value.byteCount
            representations.append(Representation(type: row.type, value: value))
        }
        return try? PasteboardItem(representations)
    }

    @DBusActor
    private func value(
        of row: TakenTargets.Row, from clipboard: any DesktopClipboard, atMost room: Int, _ report: BridgeReport
    ) async throws(ClipboardFailure) -> Representation.Value? {
        for target in row.targets {
            do throws(ClipboardFailure) {
                let content = try await clipboard.read(target, atMost: room)
                guard !content.bytes.isEmpty, let value = TakenTargets.value(content, as: row.type) else { continue }
                return value
            } catch .superseded {
                throw .superseded
            } catch .tooLarge {
                report.tell(
                    "TooLarge",
                    "\(target) is left out: a copy of more than \(mostBytes >> 20) MiB is not taken (--size-limit)")
                return nil
            } catch {
                // It does not give what it offers; perhaps by another name.
                continue
            }
        }
        return nil
    }
}

extension Pasteboard {
    /// Whether the current version is this item and nothing else, byte for byte. Nothing is consumed, nor fetched from who promised it.
    func holdsOnly(_ item: PasteboardItem) async throws(IPCError) -> Bool {
        guard let version = try await versions().last, !version.isOnce, !version.isSensitive,
            version.types.count == 1, Set(version.types[0]) == Set(item.types),
            version.byteCount == UInt64(item.byteCount)
        else { return false }
        let held = try await self.version(version.changeCount).items
        return held.count == 1
            && item.representations.allSatisfy { held[0][$0.type]?.value.content == $0.value.content }
    }
}
