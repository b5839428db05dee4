internal import ArgumentParser
package import IPC

/// What becomes of the output of an `--exec` command.
package enum CommandReply: Sendable, Hashable {
    /// It is the reply: text if it is UTF-8, otherwise bytes.
    case automatic
    /// It is the reply, with this content type.
    case typed(ContentType)
    /// There is no reply. The output goes to standard error.
    case none

    /// The word for this on a command line.
    package var text: String {
        switch self {
        case .automatic: "auto"
        case .typed(let type): type.text
        case .none: "none"
        }
    }

    /// The items of the reply.
    func items(_ output: [UInt8]) throws -> [PasteboardItem] {
        guard !output.isEmpty else { return [] }
        switch self {
        case .automatic:
            if let text = String(validating: output, as: UTF8.self) { return [.string(text)] }
            return [.data(output)]
        case .typed(let type):
            // Text travels as text, so that every receiver can show it.
            return [try PasteboardItem([Representation(type: type, value: .inMemory(output, type))])]
        case .none: return []
        }
    }
}

extension CommandReply: ExpressibleByArgument {
    package init?(argument: String) {
        switch argument {
        case "auto": self = .automatic
        case "none": self = .none
        default:
            // A type without “/” is a UTI, which has a dot; other words are probably misspelled.
            guard argument.contains(where: { $0 == "/" || $0 == "." }), let type = try? ContentType(argument) else {
                return nil
            }
            self = .typed(type)
        }
    }

    package var defaultValueDescription: String { text }
}
