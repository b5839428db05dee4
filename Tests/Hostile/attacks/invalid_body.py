"""A message with a valid frame and an invalid body: a signature that nests deeper than values may."""

import wire

SIGNATURE = "aa(" * 17 + "y" + ")" * 17


def send(connection, kind, destination, member="OpenURL"):
    connection.message(
        kind, SIGNATURE, wire.body("u", 0), flags=wire.NO_REPLY if kind == wire.SIGNAL else 0,
        destination=destination, path=wire.BROKER_PATH, interface="org.swiftipc.URLs1", member=member)


def attack(scene):
    stranger = scene.connect()
    direct = scene.connect().direct()
    for connection in (stranger, direct):
        if connection is stranger and scene.bus.kind != "daemon":
            # dbus-broker itself disconnects the sender of such a message.
            continue
        for _ in range(20):
            send(connection, wire.CALL, wire.BROKER)
            send(connection, wire.SIGNAL, None if connection is direct else wire.BROKER)
        if connection is stranger:
            send(connection, wire.SIGNAL, scene.server_name, member="RequestCompleted")
        connection.ask("Broker1", "Describe", "a{sv}", {})
