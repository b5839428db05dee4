import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

struct BoardPrune: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "prune", abstract: "Remove old or empty pasteboards, or earlier versions.",
        discussion: """
            Removes the pasteboards that meet all given criteria; at least one is required. With --history, the \
            pasteboards stay, and only their earlier versions are released. The pasteboard "general" is never removed, \
            but --older-than clears it. A pasteboard that changes in the meantime is left alone. Prints the result for \
            each pasteboard: "removed", "cleared" or "let-go" (its earlier versions are released), and its name; with \
            --dry-run "would-remove", "would-clear" or "would-let-go".

            EXAMPLES
              ipc-client board prune --older-than 30d --dry-run
              ipc-client board prune --empty --prefix demo.
              ipc-client board prune --history --older-than 12h
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only pasteboards unchanged for this time: 90m, 12h, 30d, 4w.", valueName: "time"),
        transform: Self.age)
    var olderThan: TimeSpan?

    @Flag(help: "Only pasteboards without content.")
    var empty = false

    @Option(help: ArgumentHelp("Only pasteboards whose names start with this text.", valueName: "text"))
    var prefix: String?

    @Flag(help: "Remove only earlier versions, and keep current ones. No other criterion is needed.")
    var history = false

    @Flag(help: "Only print what would be done.")
    var dryRun = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard olderThan != nil || empty || history || !(prefix ?? "").isEmpty else {
            throw ValidationError("Missing criterion. Give --older-than, --empty, --prefix or --history.")
        }
    }

    func run() async throws {
        let app = try await broker.connect()
        let now = Timestamp.now
        var failure: IPCError?
        for try await info in app.pasteboards(prefix: prefix ?? "") {
            guard let action = action(info, now: now) else { continue }
            do throws(IPCError) {
                if !dryRun, try await !perform(action, info, app) { continue }
            } catch {
                // A failure with one pasteboard does not affect the others.
                try output.warn(error.code.rawValue, "\(info.name.text.quoted): \(error.message)")
                failure = failure ?? error
                continue
            }
            try output.print(
                .object([
                    "pasteboard": .string(info.name.text), "action": .string(action.words.done),
                    "dry-run": dryRun ? .boolean(true) : nil,
                ]), text: "\(dryRun ? action.words.planned : action.words.done)\t\(info.name)")
        }
        if let failure { throw failure }
    }

    /// Parses a time with a unit. A bare number is rejected, because a wrong guess at its unit would remove too much.
    private static func age(_ argument: String) throws -> TimeSpan {
        guard argument.last?.isNumber != true else {
            throw ValidationError("give the unit too, such as 90m, 12h, 30d or 4w.")
        }
        return try TimeSpan.parseLong(argument)
    }

    enum Action {
        case removed, cleared, letGo

        /// The words for the action in the output: once it is done, and while it is only planned (`--dry-run`).
        var words: (done: String, planned: String) {
            switch self {
            case .removed: ("removed", "would-remove")
            case .cleared: ("cleared", "would-clear")
            case .letGo: ("let-go", "would-let-go")
            }
        }
    }

    func action(_ info: PasteboardInfo, now: Timestamp) -> Action? {
        if empty && info.itemCount > 0 { return nil }
        if let olderThan {
            guard let time = info.changedAt, time + .milliseconds(Int64(clamping: olderThan.milliseconds)) < now else {
                return nil
            }
        }
        if history { return info.versionCount ?? 2 > 1 ? .letGo : nil }
        guard info.name == .general else { return .removed }
        return olderThan != nil && info.itemCount > 0 ? .cleared : nil
    }

    /// - Returns: false if the pasteboard is gone or has changed since it was listed.
    @DBusActor
    private func perform(_ action: Action, _ info: PasteboardInfo, _ app: Application) async throws(IPCError) -> Bool {
        let board = Pasteboard(named: info.name, of: app)
        do throws(IPCError) {
            switch action {
            case .letGo:
                let limit = try await board.historyLimit
                guard limit > 0 else { return false }
                try await board.setHistoryLimit(0)
                try await board.setHistoryLimit(limit)
            case .cleared: try await board.clear(ifChangeCount: info.changeCount)
            case .removed:
                // Removing a pasteboard cannot depend on its change count, but clearing it can: if newer content has
                // arrived, clearing fails, and nothing is removed.
                if info.itemCount > 0 { try await board.clear(ifChangeCount: info.changeCount) }
                try await board.remove()
            }
            return true
        } catch {
            guard error.code == .changeCountMismatch || error.code == .noSuchPasteboard else { throw error }
            return false
        }
    }
}
