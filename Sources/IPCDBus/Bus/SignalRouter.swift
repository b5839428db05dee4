/// The handlers of signals, and the match rules that make the bus send those signals.
@DBusActor
final class SignalRouter {
    struct Entry {
        let number: UInt64
        let rule: MatchRule
        let handle: @DBusActor (Message) -> Void
    }

    private var entries: [String: [Entry]] = [:]
    private var last: UInt64 = 0

    var rules: [String] { entries.values.flatMap { $0.map(\.rule.text) } }

    func add(_ rule: MatchRule, _ handle: @escaping @DBusActor (Message) -> Void) -> UInt64 {
        last += 1
        entries[rule.key, default: []].append(Entry(number: last, rule: rule, handle: handle))
        return last
    }

    func remove(_ number: UInt64, rule: MatchRule) {
        entries[rule.key]?.removeAll { $0.number == number }
        if entries[rule.key]?.isEmpty == true { entries[rule.key] = nil }
    }

    func route(_ message: Message, owners: NameRegistry) {
        guard let interface = message.interface, let member = message.member else { return }
        for entry in entries["\(interface).\(member)"] ?? [] where entry.rule.matches(message, owners: owners) {
            entry.handle(message)
        }
    }
}

/// A rule that selects signals (D-Bus specification, "Match Rules").
struct MatchRule: Sendable {
    let sender: BusName?
    let path: ObjectPath?
    let interface: InterfaceName
    let member: MemberName
    var firstArgument: String?

    var key: String { "\(interface).\(member)" }

    var text: String {
        var parts = ["type='signal'", "interface='\(interface)'", "member='\(member)'"]
        if let sender { parts.append("sender='\(sender)'") }
        if let path { parts.append("path='\(path)'") }
        // The argument is a bus name, which never needs escaping.
        if let firstArgument { parts.append("arg0='\(firstArgument)'") }
        return parts.joined(separator: ",")
    }

    /// Whether a signal matches this rule. The bus's own check is not enough, because any process may send any signal
    /// directly to this one. If the rule's sender is a well-known name, the name's current owner must be the sender.
    @DBusActor
    func matches(_ message: Message, owners: NameRegistry) -> Bool {
        if let path, message.path != path { return false }
        if let firstArgument {
            var reader = MessageReader(message)
            guard (try? String(from: &reader)) == firstArgument else { return false }
        }
        guard let sender else { return true }
        guard let actual = message.sender else { return false }
        if sender == .bus || sender.isUnique { return actual == sender }
        return owners.owner(of: sender) == actual
    }
}
