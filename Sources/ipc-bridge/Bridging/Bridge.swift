import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// Keeps a pasteboard and the clipboard of a desktop in step, until the display ends or it is told to.
///
/// One change after the other, the newest one of those that wait: what is being taken over is never mixed with the next. What it has
/// done itself is no change: on the desktop it knows itself as the owner, on the pasteboard it knows its change counts.
@DBusActor
final class Bridge {
    /// What has moved.
    private enum Move {
        /// The pasteboard has the version of this change count.
        case board(UInt64)
        /// The clipboard has another owner.
        case clipboard(ClipboardOwner)

        var isOfBoard: Bool { if case .board = self { true } else { false } }
    }

    private let board: Pasteboard
    private let clipboard: any DesktopClipboard
    private let taking: ClipboardTaking
    private let offersSecrets: Bool
    private let report: BridgeReport

    /// What has not been looked at, in the order in which it came; one of each kind.
    private var moves: [Move] = []
    private var waiting: CheckedContinuation<Void, Never>?
    private var isEnded = false
    private var failure: (any Error)?

    /// The newest version of the pasteboard that the clipboard has, or from which it came.
    private var known: UInt64 = 0
    /// Whether what was copied last is a secret, and so not on the pasteboard.
    private var isSecret = false

    /// - Parameter offersSecrets: whether the desktop gets what is secret or for one reader.
    init(
        _ board: Pasteboard, _ clipboard: any DesktopClipboard, _ taking: ClipboardTaking, offersSecrets: Bool,
        _ report: BridgeReport
    ) {
        (self.board, self.clipboard, self.taking) = (board, clipboard, taking)
        (self.offersSecrets, self.report) = (offersSecrets, report)
    }

    /// Begins with what the desktop has, or else with what is on the pasteboard, and goes on until the first signal.
    /// - Parameter feed: the changes of the pasteboard.
    func run(_ feed: ChangeFeed, until stop: StopSignal) async throws {
        clipboard.changed = { [weak self] owner in self?.add(.clipboard(owner)) }
        clipboard.ended = { [weak self] in self?.displayEnded() }
        let watching = DBusActor.task { [self] in
            do {
                while let change = try await feed.next() { boardChanged(change) }
            } catch {
                failure = error
            }
            end()
        }
        defer { watching.cancel() }
        clipboard.begin()
        report.tell(
            "Bridging", "keeping the pasteboard \(board.name) and the clipboard of \(clipboard.display) in step")
        await stop.run(atSignal: 1) { [self] in
            DBusActor.handOver { self.stopped() }
        } _: {
            while let move = await next() { await follow(move) }
        }
        clipboard.close()
        if let failure { throw failure }
    }

    // MARK: What happens

    private func boardChanged(_ change: PasteboardChange) {
        // The counts of another store say nothing about this one.
        if change.isResync { known = 0 }
        add(.board(change.changeCount))
    }

    private func displayEnded() {
        report.tell("DisplayEnded", "\(clipboard.display) has ended")
        end()
    }

    /// What is still being read from another program is given up.
    private func stopped() {
        end()
        clipboard.close()
    }

    private func end() {
        isEnded = true
        wake()
    }

    private func add(_ move: Move) {
        moves.removeAll { $0.isOfBoard == move.isOfBoard }
        moves.append(move)
        wake()
    }

    private func wake() {
        let waiting = waiting
        self.waiting = nil
        waiting?.resume()
    }

    /// The newest move that is not this process's own; older ones are over.
    private func next() async -> Move? {
        while !isEnded {
            moves.removeAll { if case .board(let count) = $0 { count <= known } else { false } }
            if let move = moves.last {
                moves = []
                return move
            }
            await withCheckedContinuation { continuation in
                if moves.isEmpty && !isEnded { waiting = continuation } else { continuation.resume() }
            }
        }
        return nil
    }

    // MARK: What is done

    private func follow(_ move: Move) async {
        do {
            switch move {
            case .board:
                isSecret = false
                try await offerBoard()
            case .clipboard(.another): try await takeClipboard()
            // What a program has copied outlives it; a secret does not.
            case .clipboard(.nobody): if !isSecret { try await offerBoard() }
            }
        } catch let failure as ClipboardFailure {
            // The next change is on its way where this one is superseded.
            if failure != .superseded { report.trace("NotTaken", "not taken: the other program gave nothing") }
        } catch let error as any Condition {
            // The broker may be away, or have no room; the next change is tried again.
            report.warn(error.ipcError)
        } catch {
            self.failure = error
            end()
        }
    }

    private func offerBoard() async throws {
        guard let version = try await board.versions().last else { return await clipboard.withdraw() }
        known = max(known, version.changeCount)
        let isHidden = version.isOnce || version.isSensitive
        guard version.itemCount > 0, !isHidden || offersSecrets else {
            await clipboard.withdraw()
            return report.trace("Withdrawn", "change count \(version.changeCount) is not offered to the desktop")
        }
        let offer = BoardOffer(version, on: board)
        await clipboard.offer(offer.clipboardOffer)
        report.trace("Offered", "offered change count \(version.changeCount): \(offer.typeList)")
    }

    private func takeClipboard() async throws {
        let taken = TakenTargets(try await clipboard.targets())
        isSecret = taken.isSecret
        guard !taken.isSecret else { return report.trace("Secret", "a secret of another program was left alone") }
        let item: PasteboardItem? = try await taking.item(taken, from: clipboard, report)
        guard let item else { return report.trace("NotTaken", "not taken: nothing of it can be kept") }
        guard try await !board.holdsOnly(item) else { return report.trace("Same", "not taken: the pasteboard has it") }
        let count = try await board.setItems([item])
        known = max(known, count)
        let types = item.types.map(\.text).joined(separator: ", ")
        report.trace("Stored", "stored change count \(count): \(types), \(item.byteCount) bytes")
    }
}

/// What the bridge says on standard error: never a content.
struct BridgeReport: Sendable {
    let output: OutputOptions
    /// Whether each thing that is handed over is told.
    let isVerbose: Bool

    func tell(_ name: String, _ message: String) { try? output.tell(name, message, after: "ipc-bridge: ") }

    /// Tells what only some want to know.
    func trace(_ name: String, _ message: String) {
        if isVerbose { tell(name, message) }
    }

    func warn(_ error: IPCError) { try? output.warn(error.code.rawValue, error.message) }
}

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
