import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// The checked contents of an export: names, claims and the user's choices of handlers, without the pasteboards'
/// content.
struct ImportPlan: Sendable {
    struct Claim: Sendable, Hashable {
        let scheme: String
        let application: String
    }

    private(set) var boards: Set<String> = []
    private(set) var registrations: [Claim] = []
    private(set) var choices: [Claim] = []
    /// The number of versions whose content is not in the export.
    private(set) var leftOut: UInt64 = 0
    /// The pasteboards whose content is missing from the export entirely.
    private(set) var withheld: Set<String> = []

    /// Verifies the export, and checks that the broker can accept every part of it.
    /// - Throws: ``ToolFailure`` with exit code 65 if the export is damaged.
    init(_ reader: ExportReader) throws {
        var (board, incomplete, filled) = ("", Set<String>(), Set<String>())
        do {
            try reader.verify { record in
                switch record {
                case .header, .end: break
                case .pasteboard(let name, _, let historyLimit):
                    board = name
                    guard try !PasteboardName(board).isUnique, historyLimit <= Limits().historyMost,
                        boards.insert(board).inserted
                    else { throw Self.damaged("the pasteboard \(board.quoted) cannot be created") }
                case .version(let version):
                    guard !boards.isEmpty else { throw Self.damaged("a version belongs to no pasteboard") }
                    try Self.check(version)
                    if version.leftOut != nil {
                        leftOut += 1
                        incomplete.insert(board)
                    } else if !version.items.isEmpty {
                        filled.insert(board)
                    }
                case .registration(let scheme, let application):
                    registrations.append(try Self.claim(scheme, application))
                case .choice(let scheme, let application): choices.append(try Self.claim(scheme, application))
                }
            }
        } catch let error as any Condition {
            // The export has a name or a type that this version rejects. A later version may have written it.
            throw Self.damaged(error.ipcError.message)
        }
        withheld = incomplete.subtracting(filled)
    }

    private static func damaged(_ reason: String) -> ToolFailure { .damagedExport("store.jsonl", reason) }

    private static func claim(_ scheme: String, _ application: String) throws -> Claim {
        _ = try (URLScheme(scheme), ApplicationID(application))
        return Claim(scheme: scheme, application: application)
    }

    private static func check(_ version: ExportRecord.Version) throws {
        if !version.application.isEmpty { _ = try ApplicationID(version.application) }
        for item in version.items {
            let types = try item.map { try ContentType($0.type) }
            guard !types.isEmpty, Set(types).count == types.count else {
                throw damaged("an item has no type, or the same type twice")
            }
        }
    }

    /// Checks that the import would replace neither content nor the choice of a handler.
    /// - Throws: ``ToolFailure`` with exit code 73 if it would replace either, 77 for a claim to a reserved scheme.
    @DBusActor
    func check(_ app: Application, replace: Bool, allowReserved: Bool) async throws {
        if !allowReserved, let reserved = try registrations.first(where: { try URLScheme($0.scheme).isReserved }) {
            throw ToolFailure(
                name: "ReservedScheme",
                message: "the export has a claim of \(reserved.application) to \(reserved.scheme), which is reserved "
                    + "for the system; add --allow-reserved to import it",
                exit: .notPermitted)
        }
        guard !replace else { return }
        var present: [String] = []
        for try await info in app.pasteboards()
        where boards.contains(info.name.text) && !withheld.contains(info.name.text) && info.itemCount > 0 {
            present.append("the pasteboard \(info.name.text.quoted)")
        }
        let chosen = Dictionary(choices.map { ($0.scheme, $0.application) }, uniquingKeysWith: { first, _ in first })
        for try await handler in app.handlers() where handler.isDefault {
            guard let application = chosen[handler.scheme.text], application != handler.application else { continue }
            present.append("the default of \(handler.scheme)")
        }
        guard let first = present.first else { return }
        let others = present.count == 1 ? "" : " and \(present.count - 1) more"
        throw ToolFailure(
            name: "CannotCreate",
            message: "the import would replace \(first)\(others), so nothing was imported; add --replace to allow it",
            exit: .cannotCreate)
    }
}
