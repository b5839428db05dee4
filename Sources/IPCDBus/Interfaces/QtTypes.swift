/// The names of D-Bus types in Qt. Qt's code generator, `qdbusxml2cpp`, rejects a document in which an argument or a
/// property of most container types does not have its C++ type as an annotation.
extension Signature {
    /// The Qt type for values of this single type; `nil` if Qt's code generator knows it without an annotation.
    ///
    /// Macros of Qt split a type at its commas. So a structure or a dictionary has a name without commas, which is made
    /// from its signature. `dbus/swiftipc-qt.h` declares these names.
    package var qtType: String? {
        guard let code = text.utf8.first, "a(".utf8.contains(code), !["as", "ay", "av"].contains(text) else {
            return nil
        }
        return Self.qtType(text)
    }

    private static func qtType(_ type: String) -> String {
        if let known = knownQtTypes[type] { return known }
        guard type.hasPrefix("a"), !type.hasPrefix("a{") else { return named(type) }
        return "QList<\(qtType(String(type.dropFirst())))>"
    }

    /// The name of a structure or a dictionary, such as `DBus_sv` for `(sv)` and `DBusMap_st` for `a{st}`.
    private static func named(_ type: String) -> String {
        let (name, inside) = type.hasPrefix("(") ? ("DBus_", type.dropFirst()) : ("DBusMap_", type.dropFirst(2))
        return name + String(inside.dropLast().map { "(){}".contains($0) ? "_" : $0 })
    }

    private static let knownQtTypes = [
        "y": "uchar", "b": "bool", "n": "short", "q": "ushort", "i": "int", "u": "uint", "x": "qlonglong",
        "t": "qulonglong", "d": "double", "s": "QString", "o": "QDBusObjectPath", "g": "QDBusSignature",
        "h": "QDBusUnixFileDescriptor", "v": "QDBusVariant", "as": "QStringList", "ay": "QByteArray",
        "av": "QVariantList", "a{sv}": "QVariantMap",
    ]
}
