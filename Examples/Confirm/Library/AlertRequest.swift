public import IPC
public import SceneManager
internal import Terminal

/// A question with buttons, read from a URL: `confirm://?title=Delete&message=…&cancel=Keep&other=Delete`.
public struct AlertRequest: Sendable, Hashable {
    public enum Style: String, Sendable, Hashable, CaseIterable {
        /// A box in the middle, with the buttons side by side.
        case alert
        /// A list at the bottom, with one button on each line.
        case sheet

        var mostButtons: Int { self == .alert ? 3 : 8 }
        /// The maximum number of columns of a button's label.
        var mostColumns: Int { self == .alert ? 18 : 70 }
    }

    public enum Role: Sendable, Hashable {
        case cancel, destructive, other
    }

    public struct Button: Sendable, Hashable {
        public let label: String
        public let role: Role
    }

    public let style: Style
    public let title: String
    /// The text below the title; empty if there is none.
    public let message: String
    /// The buttons in the order of their indices: as in a `UIAlertView`, an alert's cancel button is the first one; as
    /// in a `UIActionSheet`, a sheet's destructive button is the first one, and its cancel button the last one.
    public let buttons: [Button]

    /// The index of the cancel button; `nil` if there is none.
    public var cancelIndex: Int? { buttons.firstIndex { $0.role == .cancel } }

    /// The question as an alert. Enter chooses the cancel button, or else the first one, until another is selected.
    public var alert: Alert {
        var choices: [Alert.Choice] = []
        for button in buttons {
            // The first letter or digit of the label that no other button has, or else any other one.
            let keys = button.label.lowercased() + "0123456789"
            let free = keys.first { key in
                key.isASCII && (key.isLetter || key.isNumber) && !choices.contains { $0.key == key }
            }
            choices.append(Alert.Choice(button.label, key: free ?? "?"))
        }
        return Alert(title, message: message, choices: choices, harmless: cancelIndex ?? 0)
    }
}

extension AlertRequest {
    private static let names = ["title", "message", "cancel", "other", "destructive", "style"]
    /// The maximum number of columns of the title, and the size of the message.
    private static let mostColumns = 70
    private static let mostLines = 12

    /// Reads the question from the parts of a URL, which has neither a host nor a path.
    public init(host: String?, path: String, parameters: URLParameters) throws(InvalidAlertRequest) {
        guard host ?? "" == "", path.isEmpty else {
            throw InvalidAlertRequest(
                "the URL has text before “?”; use confirm://?title=Delete&cancel=Keep&other=Delete")
        }
        try self.init(parameters)
    }

    /// Reads the question from the parameters of a URL.
    public init(_ parameters: URLParameters) throws(InvalidAlertRequest) {
        if let unknown = parameters.first(where: { !Self.names.contains($0.name) }) {
            let names = Self.names.formattedList("and")
            throw InvalidAlertRequest("unknown parameter “\(unknown.name.visible)”; the parameters are \(names)")
        }
        style = try Self.style(parameters)
        title = try Self.line("title", parameters, columns: Self.mostColumns) ?? ""
        message = try Self.message(parameters)
        guard !title.isEmpty else {
            throw InvalidAlertRequest("the URL has no title; use confirm://?title=Delete&cancel=Keep&other=Delete")
        }
        buttons = try Self.buttons(style, parameters)
    }

    private static func style(_ parameters: URLParameters) throws(InvalidAlertRequest) -> Style {
        let name = try single("style", parameters) ?? Style.alert.rawValue
        guard let style = Style(rawValue: name) else {
            let names = Style.allCases.map(\.rawValue).formattedList("or")
            throw InvalidAlertRequest("style must be \(names), not “\(name.visible)”")
        }
        return style
    }

    private static func message(_ parameters: URLParameters) throws(InvalidAlertRequest) -> String {
        let message = try single("message", parameters) ?? ""
        for line in message.split(separator: "\n") { try check(String(line), "message") }
        guard message.wrapped(columns: mostColumns).count <= mostLines else {
            throw InvalidAlertRequest("message is too long: use at most \(mostLines) lines of \(mostColumns) columns")
        }
        return message
    }

    private static func buttons(
        _ style: Style, _ parameters: URLParameters
    ) throws(InvalidAlertRequest) -> [Button] {
        func button(_ name: String, _ role: Role) throws(InvalidAlertRequest) -> [Button] {
            let label = try line(name, parameters, columns: style.mostColumns)
            return label.map { [Button(label: $0, role: role)] } ?? []
        }
        let (cancel, destructive) = (try button("cancel", .cancel), try button("destructive", .destructive))
        guard style == .sheet || destructive.isEmpty else {
            throw InvalidAlertRequest("only a sheet has a destructive button; use other, or add style=sheet")
        }
        var others: [Button] = []
        for label in parameters.all(named: "other") {
            others.append(Button(label: try checked(label, "other", columns: style.mostColumns), role: .other))
        }
        let buttons = style == .alert ? cancel + others : destructive + others + cancel
        guard !buttons.isEmpty else {
            throw InvalidAlertRequest("the URL has no buttons; use cancel=Keep and other=Delete")
        }
        guard buttons.count <= style.mostButtons else {
            let advice = style == .alert ? "; style=sheet has up to \(Style.sheet.mostButtons)" : ""
            throw InvalidAlertRequest(
                "\(buttons.count) buttons are too many: style=\(style.rawValue) has up to \(style.mostButtons)\(advice)"
            )
        }
        return buttons
    }

    private static func line(
        _ name: String, _ parameters: URLParameters, columns: Int
    ) throws(InvalidAlertRequest) -> String? {
        guard let text = try single(name, parameters) else { return nil }
        return try checked(text, name, columns: columns)
    }

    /// Returns the text unless it is blank, has control characters, or takes more than this many columns.
    private static func checked(_ text: String, _ name: String, columns: Int) throws(InvalidAlertRequest) -> String {
        try check(text, name)
        guard text.contains(where: { !$0.isWhitespace && $0.displayWidth > 0 }) else {
            throw InvalidAlertRequest("\(name) is empty")
        }
        guard text.displayWidth <= columns else {
            throw InvalidAlertRequest("\(name) is too long: use at most \(columns) columns")
        }
        return text
    }

    private static func check(_ text: String, _ name: String) throws(InvalidAlertRequest) {
        guard text.visible == text else {
            throw InvalidAlertRequest("\(name) contains a control character; remove it: “\(text.visible)”")
        }
    }

    private static func single(_ name: String, _ parameters: URLParameters) throws(InvalidAlertRequest) -> String? {
        let values = parameters.all(named: name)
        guard values.count <= 1 else { throw InvalidAlertRequest("\(name) occurs twice; only other may be repeated") }
        return values.first
    }
}

extension [String] {
    fileprivate func formattedList(_ word: String) -> String {
        dropLast().joined(separator: ", ") + " \(word) " + (last ?? "")
    }
}

/// The error for a URL that does not ask a valid question.
public struct InvalidAlertRequest: HandlerError, Sendable, Hashable, CustomStringConvertible {
    /// A message for the author of the URL.
    public let description: String

    public var code: String { "bad-request" }

    init(_ description: String) { self.description = description }
}
