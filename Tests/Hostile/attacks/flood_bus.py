"""Callers flood the bus as fast as it takes their messages: calls, pings without a reply, and messages of 15 MiB. They
read no answers.

The bus keeps what the broker has not read, and puts the calls of others behind it. So this delays the callers of any
service (`bus_floor.py` measures one that does nothing), and only a direct connection must stay fast.
"""

import children
import wire

# dbus-broker disconnects the receivers of such a flood.
BUS = "daemon"
LIMIT = "the bus puts the calls of others behind the flood"


def messages():
    return [
        wire.call(wire.BROKER_PATH, "org.swiftipc.Pasteboards1", "ListPasteboards", "a{sv}", {}),
        wire.message(
            1, wire.CALL, "", b"", wire.NO_REPLY, destination=wire.BROKER, path="/",
            interface="org.freedesktop.DBus.Peer", member="Ping"),
        wire.call(wire.BROKER_PATH, "org.swiftipc.URLs1", "NoSuchMethod", "ay", bytes(15 << 20))]


def attack(scene):
    def flood(message):
        return lambda tell: tell(children.pour(wire.Connection(scene.path), message, scene.full(5, 0.3)))

    sent = []
    for message in messages():
        sent += children.together(*[flood(message)] * 2)
    scene.note(sent=[int(count) for count in sent])
