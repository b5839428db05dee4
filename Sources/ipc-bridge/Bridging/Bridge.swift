import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// Keeps a pasteboard and a desktop's clipboard in sync until a signal arrives or the session ends. If the display
/// ends, the bridge waits until it returns. The bridge handles one change at a time, and then the newest one that is
/// waiting, so two changes never mix. It ignores its own changes: on the clipboard, it recognizes itself as the owner;
/// on the pasteboard, it recognizes its own change counts.
@DBusActor
final class Bridge {
    private enum Move {
        /// The pasteboard has a new version, with this change count.
        case board(UInt64)
        /// Another program has taken or emptied the clipboard.
        case clipboard(isEmpty: Bool)

        var isOfBoard: Bool { if case .board = self { true } else { false } }
    }

    private let app: Application
    private let board: Pasteboard
    private let display: Display
    /// `nil` while the display is gone.
    private var clipboard: (any DesktopClipboard)?
    private var returning: Task<Void, any Error>?
    private let mostBytes: Int
    private let offersSecrets: Bool
    private let report: BridgeReport

    /// The changes that are waiting to be copied, the newest last, at most one of each kind.
    private var moves: [Move] = []
    /// Yields an element whenever a change is added to ``moves``. Finishes when the bridge stops.
    private let arrivals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private var isEnded = false
    private var failure: (any Error)?

    /// The change count of the newest version that the bridge has copied from the clipboard or offered on it.
    private var known: UInt64 = 0
    /// Whether the clipboard's last content is a secret, which is therefore not on the pasteboard.
    private var isSecret = false

    /// - Parameters:
    ///   - mostBytes: the size limit of one copy, all types together.
    ///   - offersSecrets: whether versions that are sensitive or can be read only once are offered to the desktop.
    init(_ app: Application, on display: Display, mostBytes: Int, offersSecrets: Bool, _ report: BridgeReport) {
        (self.app, self.display, self.mostBytes) = (app, display, mostBytes)
        (self.offersSecrets, self.report) = (offersSecrets, report)
        board = app.generalPasteboard
    }

    /// Runs the bridge until a signal arrives or the session ends. Starts with the content of the clipboard or, if that
    /// is empty, the pasteboard; so does each return of the display.
    func run(_ clipboard: any DesktopClipboard, until stop: StopSignal) async throws {
        let start = try await app.changeCount()
        let feed = ChangeFeed(app, of: [board.name], since: start) { [report] error in
            report.warn(IPCError(error.code, "\(error.message); waiting for the broker"))
        }
        app.onBusLost { [weak self] in DBusActor.handOver { self?.busLost() } }
        let watching = DBusActor.task { [self] in
            do {
                while let change = try await feed.next() { boardChanged(change) }
                end()
            } catch {
                end(error)
            }
        }
        defer {
            watching.cancel()
            returning?.cancel()
        }
        attach(clipboard)
        await stop.run(atSignal: 1) { [self] in
            DBusActor.handOver { self.stopped() }
        } _: {
            for await _ in arrivals.stream {
                while let move = takeNewest() { await follow(move) }
            }
        }
        self.clipboard?.close()
        if let failure { throw failure }
    }

    private func attach(_ clipboard: any DesktopClipboard) {
        self.clipboard = clipboard
        isSecret = false
        clipboard.changed = { [weak self] isEmpty in self?.add(.clipboard(isEmpty: isEmpty)) }
        clipboard.ended = { [weak self] in self?.displayEnded() }
        clipboard.begin()
        guard self.clipboard === clipboard else { return }
        report.tell("Bridging", "keeping the pasteboard \(board.name) and the clipboard of \(display) in sync")
    }

    private func displayEnded() {
        clipboard?.close()
        clipboard = nil
        report.tell("DisplayEnded", "the connection to \(display) is closed; waiting for the display to return")
        returning = DBusActor.task { [self] in
            do {
                guard app.bus.isConnected, let clipboard = try await display.returned() else { return sessionEnded() }
                if isEnded { clipboard.close() } else { attach(clipboard) }
            } catch {
                end(error)
            }
        }
    }

    private func busLost() {
        report.output.tellBusLost()
        if clipboard == nil { sessionEnded() }
    }

    /// Ends the bridge: without a bus, or without a place where the display can return, the session is over.
    private func sessionEnded() {
        guard !isEnded else { return }
        report.tell("SessionEnded", "the display cannot return")
        end()
    }

    private func boardChanged(_ change: PasteboardChange) {
        // After a resync, the change counts may be those of another store, which cannot be compared with ``known``.
        if change.isResync { known = 0 }
        add(.board(change.changeCount))
    }

    /// Stops the bridge. Content still being read from another program is dropped.
    private func stopped() {
        end()
        clipboard?.close()
    }

    private func end(_ reason: (any Error)? = nil) {
        if !isEnded { failure = reason }
        isEnded = true
        arrivals.continuation.finish()
    }

    private func add(_ move: Move) {
        moves.removeAll { $0.isOfBoard == move.isOfBoard }
        moves.append(move)
        arrivals.continuation.yield()
    }

    /// Takes the newest change not caused by this process, and drops the others.
    private func takeNewest() -> Move? {
        moves.removeAll { if case .board(let count) = $0 { count <= known } else { false } }
        defer { moves = [] }
        return isEnded ? nil : moves.last
    }

    /// Copies a change. While the display is gone, changes are dropped: the bridge starts anew when it returns.
    private func follow(_ move: Move) async {
        guard let clipboard else { return }
        do {
            switch move {
            case .board:
                isSecret = false
                try await offerBoard(on: clipboard)
            case .clipboard(isEmpty: false): try await take(clipboard)
            // The clipboard's owner may have exited. Its content is offered again, unless it is a secret.
            case .clipboard(isEmpty: true): if !isSecret { try await offerBoard(on: clipboard) }
            }
        } catch let failure as ClipboardFailure {
            // `superseded` is not reported, because the next change is already known.
            if failure != .superseded { report.trace("NotTaken", "not copied: the other program provided no content") }
        } catch let error as any Condition {
            // The broker may be unavailable or full. The next change may succeed.
            report.warn(error.ipcError)
        } catch {
            end(error)
        }
    }

    private func offerBoard(on clipboard: any DesktopClipboard) async throws {
        guard let version = try await board.versions().last else { return await clipboard.withdraw() }
        known = max(known, version.changeCount)
        let isHidden = version.isOnce || version.isSensitive
        guard version.itemCount > 0, !isHidden || offersSecrets else {
            await clipboard.withdraw()
            return report.trace(
                "Withdrawn",
                "the version with change count \(version.changeCount) is not offered: it is empty or secret"
            )
        }
        let offer = ClipboardOffer(version, of: board)
        await clipboard.offer(offer)
        report.trace(
            "Offered",
            "offered the version with change count \(version.changeCount): \(offer.targets.joined(separator: ", "))")
    }

    private func take(_ clipboard: any DesktopClipboard) async throws {
        let taken = TakenTargets(try await clipboard.targets())
        isSecret = taken.isSecret
        guard !taken.isSecret else {
            return report.trace("Secret", "not copied: the program marked the content as a secret")
        }
        guard let item = try await item(taken, from: clipboard) else {
            return report.trace("NotTaken", "not copied: a pasteboard cannot store any of the offered types")
        }
        guard try await !board.holdsOnly(item) else {
            return report.trace("Same", "not copied: the pasteboard has the same content")
        }
        let count = try await board.setItems([item])
        known = max(known, count)
        let types = item.types.map(\.text).joined(separator: ", ")
        report.trace("Stored", "stored a version with change count \(count): \(types), \(item.byteCount) bytes")
    }

    /// Reads another program's copied content as one item; `nil` if a pasteboard cannot store any of its types.
    /// - Throws: `superseded` if the clipboard has changed in the meantime.
    private func item(
        _ taken: TakenTargets, from clipboard: any DesktopClipboard
    ) async throws(ClipboardFailure) -> PasteboardItem? {
        var room = mostBytes
        var representations: [Representation] = []
        for row in taken.rows {
            guard let value = try await value(of: row, from: clipboard, atMost: room) else { continue }
            room -= value.byteCount
            representations.append(Representation(type: row.type, value: value))
        }
        return try? PasteboardItem(representations)
    }

    private func value(
        of row: TakenTargets.Row, from clipboard: any DesktopClipboard, atMost room: Int
    ) async throws(ClipboardFailure) -> Representation.Value? {
        for target in row.targets {
            do throws(ClipboardFailure) {
                let content = try await clipboard.read(target, atMost: room)
                guard content.value.byteCount > 0, let value = TakenTargets.value(content, as: row.type) else {
                    continue
                }
                return value
            } catch .superseded {
                throw .superseded
            } catch .tooLarge {
                report.tell(
                    "TooLarge",
                    "\(target) is left out: the size limit of one copy is \(mostBytes >> 20) MiB (--size-limit)")
                return nil
            } catch {
                // The program does not provide the content for this target. Another target may work.
                continue
            }
        }
        return nil
    }
}

extension Pasteboard {
    /// Whether the current version is exactly this item. The check does not consume a version that can be read only
    /// once, and fetches no promised content.
    fileprivate func holdsOnly(_ item: PasteboardItem) async throws(IPCError) -> Bool {
        guard let version = try await versions().last, !version.isOnce, !version.isSensitive,
            version.types.count == 1, Set(version.types[0]) == Set(item.types),
            version.byteCount == UInt64(item.byteCount)
        else { return false }
        let held = try await self.version(version.changeCount).items
        return held.count == 1
            && item.representations.allSatisfy { held[0][$0.type]?.value.content == $0.value.content }
    }
}

/// The bridge's messages on standard error. They never include content.
struct BridgeReport: Sendable {
    let output: OutputOptions
    /// Whether to report each transfer.
    let isVerbose: Bool

    func tell(_ name: String, _ message: String) { try? output.tell(name, message, after: "ipc-bridge: ") }

    func trace(_ name: String, _ message: String) {
        if isVerbose { tell(name, message) }
    }

    func warn(_ error: IPCError) { try? output.warn(error.code.rawValue, error.message) }
}
