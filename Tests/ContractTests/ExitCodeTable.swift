/// The table “Errors and exit codes” of the contract, written a second time by hand, to compare it with the code.
enum ExitCodeTable {
    static let errors: [String: Int32] = [
        "InvalidArguments": 65, "InvalidURL": 65, "InvalidName": 65, "PayloadInvalid": 65,
        "NoSuchPasteboard": 66, "NoSuchItem": 66, "NoSuchRequest": 66,
        "NoHandler": 68,
        "NoBus": 69, "HandlerUnavailable": 69, "StoreUnavailable": 69,
        "NotOwner": 73,
        "NoSpace": 74, "InputOutput": 74,
        "TimedOut": 75, "ChangeCountMismatch": 75, "LimitExceeded": 75,
        "AccessDenied": 77, "ReservedScheme": 77, "LoopDetected": 77,
    ]

    static let outcomes: [String: Int32] = [
        "handled": 0, "delivered": 0, "queued": 0, "declined": 1, "cancelled": 2, "unavailable": 69, "failed": 70,
        "timed-out": 75, "expired": 75,
    ]

    /// The exit code for a wrong command line, which is neither an error of the broker nor an outcome of a request.
    static let usage: Int32 = 64

    /// Reads the exit codes that a document lists in lines such as “* exit 66: ``NoSuchItem`` (text), outcome
    /// ``failed``”.
    static func told(in document: String) -> [String: Int32] {
        let text = document.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var told: [String: Int32] = [:]
        for row in text.matches(of: /\* exit ([0-9]+): (.*?)(?= \* exit | Each name is short)/) {
            for word in row.2.matches(of: /``([A-Za-z-]+)``/) { told[String(word.1)] = Int32(row.1) }
        }
        return told
    }
}
