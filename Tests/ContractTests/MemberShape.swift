import IPCDBus

/// The introspection data of a D-Bus member, in one form for documents, Swift tables and live objects.
struct MemberShape: Hashable, CustomStringConvertible {
    struct Argument: Hashable, CustomStringConvertible {
        var name: String
        var type: String
        /// `in`, `out`, or empty for a signal.
        var direction: String

        var description: String { "\(direction) \(type) \(name)" }
    }

    /// `method`, `signal` or `property`.
    var kind: String
    var name: String
    var arguments: [Argument] = []
    /// The type of a property.
    var type = ""
    /// The access of a property.
    var access = ""
    var annotations: [String: String] = [:]

    var description: String {
        let notes = annotations.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(kind) \(name) \(type) \(access) \(arguments) \(notes)"
    }
}

extension MemberShape {
    init(_ member: MemberDescription) {
        let annotations = Dictionary(uniqueKeysWithValues: member.annotations.map { ($0.name, $0.value) })
        switch member {
        case .method(let name, let input, let output, _, _):
            self.init(
                kind: "method", name: name, arguments: Self.arguments(input, "in") + Self.arguments(output, "out"),
                annotations: annotations)
        case .signal(let name, let arguments, _):
            self.init(
                kind: "signal", name: name, arguments: Self.arguments(arguments, ""), annotations: annotations)
        case .property(let name, let signature, let isWritable, _, _):
            self.init(
                kind: "property", name: name, type: signature.text, access: isWritable ? "readwrite" : "read",
                annotations: annotations)
        }
    }

    private static func arguments(_ descriptions: [ArgumentDescription], _ direction: String) -> [Argument] {
        descriptions.map { Argument(name: $0.name, type: $0.signature.text, direction: direction) }
    }
}

extension [MemberShape] {
    /// The differences between these members and others, in both directions, in words.
    func differences(from others: [MemberShape]) -> [String] {
        let (mine, theirs) = (Set(self), Set(others))
        var found =
            mine.subtracting(theirs).map { "only here: \($0)" } + theirs.subtracting(mine).map { "only there: \($0)" }
        if count != mine.count { found.append("a member stands there twice") }
        if others.count != theirs.count { found.append("a member stands twice on the other side") }
        return found.sorted()
    }
}
