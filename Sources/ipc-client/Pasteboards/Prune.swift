import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

struct Prune: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        _superCommandName: Client.tool,
        abstract: "Remove pasteboards that are old or empty, or let go of earlier versions.",
        discussion: """
            A pasteboard goes if it meets all the criteria that are given; without any the command refuses. With \
            --history it stays, and only its earlier versions go. The pasteboard "general" is never removed; with \
            --older-than it is cleared. One that changes meanwhile is left alone. Prints what was done: "removed", \
            "cleared" or "let-go", and the pasteboard; with --dry-run "would-remove", "would-clear" or "would-let-go".

            EXAMPLES
              ipc-client prune --older-than 30d --dry-run
              ipc-client prune --empty --prefix demo.
              ipc-client prune --history --older-than 12h
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Whose last change is longer ago: 90m, 12h, 30d, 4w.", valueName: "time"),
        transform: Self.age)
    var olderThan: TimeSpan?

    @Flag(help: "Which hold nothing.")
    var empty = false

    @Option(help: ArgumentHelp("Whose names start with this.", valueName: "text"))
    var prefix: String?

    @Flag(help: "Let go of earlier versions only; a criterion by itself.")
    var history = false

    @Flag(help: "Only say what would be done.")
    var dryRun = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard olderThan != nil || empty || history || !(prefix ?? "").isEmpty else {
            throw ValidationError("Say which: --older-than, --empty, --prefix or --history.")
        }
    }

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        let now = Timestamp.now
        var failure: IPCError?
        for try await info in app.pasteboards(prefix: prefix ?? "") {
            guard let action = action(info, now: now) else { continue }
            do throws(IPCError) {
                if !dryRun, try await !perform(action, info, app) { continue }
            } catch {
                // What one pasteboard refuses is no reason to keep the others.
                try output.warn(error.code.rawValue, "\(info.name.quoted): \(error.message)")
                failure = failure ?? error
                continue
            }
            try tell(action, info)
        }
        if let failure { throw failure }
    }

    /// A time with its unit: what is removed is not to hang on whether a bare number means seconds or days.
    private static func age(_ argument: String) throws -> TimeSpan {
        guard argument.last?.isNumber != true else {
            throw ValidationError("give the unit too, such as 90m, 12h, 30d or 4w.")
        }
        return try TimeSpan.parseLong(argument)
    }

    /// What is done with a pasteboard.
    enum Action: String {
        case removed
        case cleared
        case letGo = "let-go"

        /// What is said of it where nothing is done.
        var wouldBe: String {
            switch self {
            case .removed: "would-remove"
            case .cleared: "would-clear"
            case .letGo: "would-let-go"
            }
        }
    }

    func action(_ info: PasteboardInfo, now: UInt64) -> Action? {
        if empty && info.itemCount > 0 { return nil }
        if let olderThan {
            guard let time = info.millisecondsSince1970, time + olderThan.milliseconds < now else { return nil }
        }
        if history { return info.versionCount ?? 2 > 1 ? .letGo : nil }
        guard info.name == Client.generalPasteboard else { return .removed }
        return olderThan != nil && info.itemCount > 0 ? .cleared : nil
    }

    /// - Returns: false where the pasteboard has changed meanwhile or is gone.
    @DBusActor
    private func perform(_ action: Action, _ info: PasteboardInfo, _ app: Application) async throws(IPCError) -> Bool {
        let board = try Pasteboard(named: info.name, of: app)
        do throws(IPCError) {
            switch action {
            case .letGo:
                let limit = try await board.historyLimit
                guard limit > 0 else { return false }
                try await board.setHistoryLimit(0)
                try await board.setHistoryLimit(limit)
            case .cleared: try await board.clear(ifChangeCount: info.changeCount)
            case .removed:
                // A removal has no condition; a clear has, so what came meanwhile stays.
                if info.itemCount > 0 { try await board.clear(ifChangeCount: info.changeCount) }
                try await board.remove()
            }
            return true
        } catch {
            guard error.code == .changeCountMismatch || error.code == .noSuchPasteboard else { throw error }
            return false
        }
    }

    private func tell(_ action: Action, _ info: PasteboardInfo) throws(ToolFailure) {
        try output.print(
            .object([
                "pasteboard": .string(info.name), "action": .string(action.rawValue),
                "dry-run": dryRun ? .boolean(true) : nil,
            ]), text: "\(dryRun ? action.wouldBe : action.rawValue)\t\(info.name)")
    }
}
