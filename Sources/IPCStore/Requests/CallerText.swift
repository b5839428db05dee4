/// The string that identifies a caller in the store: its unique name, `@`, and the id of the bus, because two buses
/// assign the same unique names. If the caller's process is known, a space and the process follow. The string is empty
/// if the connection is unknown.
package struct CallerText: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(_ name: String, on bus: String, process: String? = nil) {
        text = process.map { "\(name)@\(bus) \($0)" } ?? "\(name)@\(bus)"
    }

    /// The unique name; `nil` if the caller was on another bus.
    package func name(on bus: String) -> String? {
        let connection = connection
        guard let at = connection.utf8.firstIndex(of: UInt8(ascii: "@")),
            connection[connection.utf8.index(after: at)...] == bus
        else { return nil }
        return String(connection[..<at])
    }

    /// The caller's process if it is known, otherwise its connection.
    package var processOrConnection: String { String(space.map { text[text.utf8.index(after: $0)...] } ?? text[...]) }

    private var connection: Substring { text[..<(space ?? text.endIndex)] }

    private var space: String.Index? { text.utf8.firstIndex(of: UInt8(ascii: " ")) }
}
