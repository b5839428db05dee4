import IPCDBus
import Testing

/// The types that introspection names for Qt's code generator.
struct QtTypeTests {
    @Test(
        arguments: [
            ("a{sv}", "QVariantMap"), ("aa{sv}", "QList<QVariantMap>"), ("aas", "QList<QStringList>"),
            ("a{st}", "DBusMap_st"), ("(sv)", "DBus_sv"), ("aa(sv)", "QList<QList<DBus_sv>>"),
            ("a(sta{sv})", "QList<DBus_sta_sv_>"), ("at", "QList<qulonglong>"),
        ] as [(Signature, String)])
    func `a container has a Qt type without commas`(type: Signature, name: String) {
        #expect(type.qtType == name)
        #expect(!name.contains(","))
    }

    @Test(arguments: ["s", "t", "h", "v", "as", "ay", "av"] as [Signature])
    func `a type that Qt knows has no annotation`(type: Signature) { #expect(type.qtType == nil) }
}
