// SPDX-License-Identifier: Apache-2.0
//
// The types in the annotations org.qtproject.QtDBus.QtTypeName of org.swiftipc.*.xml, for Qt 5 and Qt 6. For example:
//
//     qdbusxml2cpp -i swiftipc-qt.h -p pasteboards org.swiftipc.Pasteboards1.xml
//
// Call registerSwiftIPCTypes() once before the first call.
#ifndef SWIFTIPC_QT_H
#define SWIFTIPC_QT_H

#include <QtDBus/QtDBus>
#include <tuple>

// A name consists of the signature, with "_" for each bracket.
using DBus_sv = std::tuple<QString, QDBusVariant>;                 // a content type and its value
using DBus_st = std::tuple<QString, qulonglong>;                   // a pasteboard and its change count
using DBus_sta_sv_ = std::tuple<QString, qulonglong, QVariantMap>; // a pasteboard, its change count and facts
using DBus_sa_sv_ = std::tuple<QString, QVariantMap>;              // a handler and its claim
using DBusMap_st = QMap<QString, qulonglong>;                      // limits by name
// Of org.freedesktop.DBus.ObjectManager: the interfaces of an object with their properties, and all objects.
using DBusMap_sa_sv_ = QMap<QString, QVariantMap>;
using DBusMap_oa_sa_sv__ = QMap<QDBusObjectPath, DBusMap_sa_sv_>;

Q_DECLARE_METATYPE(DBus_sv)
Q_DECLARE_METATYPE(DBus_st)
Q_DECLARE_METATYPE(DBus_sta_sv_)
Q_DECLARE_METATYPE(DBus_sa_sv_)

template <typename... Fields>
QDBusArgument &operator<<(QDBusArgument &argument, const std::tuple<Fields...> &values)
{
    argument.beginStructure();
    std::apply([&](const auto &...fields) { (void)(argument << ... << fields); }, values);
    argument.endStructure();
    return argument;
}

template <typename... Fields>
const QDBusArgument &operator>>(const QDBusArgument &argument, std::tuple<Fields...> &values)
{
    argument.beginStructure();
    std::apply([&](auto &...fields) { (void)(argument >> ... >> fields); }, values);
    argument.endStructure();
    return argument;
}

inline void registerSwiftIPCTypes()
{
    qDBusRegisterMetaType<DBus_sv>();
    qDBusRegisterMetaType<QList<DBus_sv>>();
    qDBusRegisterMetaType<QList<QList<DBus_sv>>>();
    qDBusRegisterMetaType<DBus_st>();
    qDBusRegisterMetaType<QList<DBus_st>>();
    qDBusRegisterMetaType<DBus_sta_sv_>();
    qDBusRegisterMetaType<QList<DBus_sta_sv_>>();
    qDBusRegisterMetaType<DBus_sa_sv_>();
    qDBusRegisterMetaType<QList<DBus_sa_sv_>>();
    qDBusRegisterMetaType<DBusMap_st>();
    qDBusRegisterMetaType<DBusMap_sa_sv_>();
    qDBusRegisterMetaType<DBusMap_oa_sa_sv__>();
    qDBusRegisterMetaType<QList<QVariantMap>>();
    qDBusRegisterMetaType<QList<QStringList>>();
}

#endif
