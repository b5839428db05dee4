/// `ipc-broker.conf` in its usual place.
struct ConfigurationFacts: Sendable {
    /// Where it is, or would be; empty where there is no place for it.
    var path = ""
    /// Its lines; nil where there is no file.
    var lines: [String]?
    /// What the broker does not take.
    var mistakes: [Mistake] = []
    /// Why it cannot be read at all; nil where it can.
    var unreadable: String?
    /// `directory` of `[Store]`.
    var store: String?
    var isWritable = true

    /// A line, or a group with all that is in it.
    struct Mistake: Sendable, Hashable {
        /// From 1.
        var lines: ClosedRange<Int>
        var reason: String
    }
}
