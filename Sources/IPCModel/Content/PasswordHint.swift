extension ContentType {
    /// The type by which password managers mark what they copy, whatever its value; KDE's clipboard and others know it.
    package static let passwordManagerHint = ContentType(name: "x-kde-passwordManagerHint")

    fileprivate var marksSecret: Bool { essence == Self.passwordManagerHint.essence }
}

extension PasteboardItem {
    /// Whether a password manager has marked the item: it is to be kept like one that is written as sensitive.
    package var isMarkedSensitive: Bool {
        representations.contains { $0.type.marksSecret }
    }
}

extension Sequence<[ContentType]> {
    /// Whether a password manager has marked what is promised, the types of one item in each row.
    package var isMarkedSensitive: Bool {
        contains { $0.contains(where: \.marksSecret) }
    }
}
