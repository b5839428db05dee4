"""Callers send signals to the broker: forged ones of bus and broker, broadcasts, and real changes of names."""

import children
import time
import wire


def signal(interface, member, signature, *values, path="/org/freedesktop/DBus", destination=None):
    return wire.message(
        1, wire.SIGNAL, signature, wire.body(signature, *values), wire.NO_REPLY, destination=destination, path=path,
        interface=interface, member=member)


def signals():
    owner = ("org.freedesktop.DBus", "NameOwnerChanged", "sss", "demo.IPCServer", ":1.1", "")
    return [
        signal(*owner), signal(*owner, destination=wire.BROKER),
        signal("org.freedesktop.DBus", "NameLost", "s", wire.BROKER, destination=wire.BROKER),
        signal("org.swiftipc.Pasteboards1", "PasteboardRemoved", "s", "observer", path=wire.BROKER_PATH),
        signal("org.freedesktop.DBus.Local", "Disconnected", "", destination=wire.BROKER),
    ]


def flood(path, message, seconds):
    return lambda tell: tell(children.pour(wire.Connection(path), message, seconds, path))


def change_names(path, seconds):
    """Takes and releases names, which the bus reports to the broker."""
    def work(tell):
        caller, end, count = wire.Connection(path), time.monotonic() + seconds, 0
        while time.monotonic() < end:
            for number in range(50):
                caller.call(*wire.BUS, "RequestName", "su", f"com.example.Name{number}", 4)
                last = caller.call(*wire.BUS, "ReleaseName", "s", f"com.example.Name{number}")
            caller.wait(last)
            count += 100
        tell(count)
    return work


def attack(scene):
    seconds = scene.full(2, 0.2)
    sent = 0
    for message in signals():
        sent += sum(map(int, children.together(
            flood(scene.path, message, seconds), change_names(scene.path, seconds))))
    scene.note(sent=sent)
