/// An annotation of a member, as introspection shows it (D-Bus specification, "Introspection Data Format").
package struct MemberAnnotation: Sendable, Hashable {
    package let name: String
    package let value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// The annotation for a description in one sentence; none if it is empty.
    static func documentation(_ summary: String) -> [MemberAnnotation] {
        summary.isEmpty ? [] : [MemberAnnotation("org.gtk.GDBus.DocString", summary)]
    }

    /// The annotations that give Qt's code generator the types of arguments.
    fileprivate static func qtTypes(_ arguments: [ArgumentDescription], _ direction: String) -> [MemberAnnotation] {
        arguments.enumerated().compactMap { index, argument in
            argument.signature.qtType.map { MemberAnnotation("\(qtType).\(direction)\(index)", $0) }
        }
    }

    fileprivate static let qtType = "org.qtproject.QtDBus.QtTypeName"
}

extension MemberDescription {
    /// All annotations of the member.
    package var annotations: [MemberAnnotation] {
        switch self {
        case .method(_, let input, let output, let isOneWay, let summary):
            MemberAnnotation.documentation(summary)
                + (isOneWay ? [MemberAnnotation("org.freedesktop.DBus.Method.NoReply", "true")] : [])
                + MemberAnnotation.qtTypes(input, "In") + MemberAnnotation.qtTypes(output, "Out")
        case .signal(_, let arguments, let summary):
            MemberAnnotation.documentation(summary) + MemberAnnotation.qtTypes(arguments, "Out")
        case .property(_, let signature, _, let changes, let summary):
            MemberAnnotation.documentation(summary)
                + [MemberAnnotation("org.freedesktop.DBus.Property.EmitsChangedSignal", changes.rawValue)]
                + (signature.qtType.map { [MemberAnnotation(MemberAnnotation.qtType, $0)] } ?? [])
        }
    }
}
