/// Numbers of things for people.
enum Counted {
    static func pasteboards(_ count: UInt64) -> String { "\(count) pasteboard\(count == 1 ? "" : "s")" }
    static func versions(_ count: UInt64) -> String { "\(count) version\(count == 1 ? "" : "s")" }
}
