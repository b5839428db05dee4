"""Two callers send tens of thousands of calls before they read: one of them calls that are answered at once, the other one
calls that wait for a change. Then they read, and every call must have exactly one answer."""

import select
import struct
import time

import children
import wire

# The bus keeps the short answers and errors that a flood does not read, as it does for any service.
BOUNDS = dict(bus=float("inf"))


def calls(connection, meter, message, count):
    """Sends a message `count` times, without reading; returns the serial numbers. After each few, the connection `meter`
    waits for the broker, as in `children.pour`."""
    first = None
    for start in range(0, count, children.PACE):
        data = b""
        for _ in range(min(children.PACE, count - start)):
            serial = connection.next_serial()
            first = first or serial
            data += struct.pack("<8sI", bytes(message[:8]), serial) + bytes(message[12:])
        connection.send(data)
        meter.request(wire.BROKER, "/", "org.freedesktop.DBus.Peer", "Ping")
    return range(first, first + count)


def read(connection, serials):
    """Reads until each call has an answer; returns how often an error was the answer."""
    missing, errors = set(serials), 0
    deadline = time.monotonic() + 120
    while missing:
        if not select.select([connection], [], [], max(0, deadline - time.monotonic()))[0]:
            raise AssertionError(f"{len(missing)} calls are not answered")
        connection.receive()
        for answer in connection.messages():
            if answer.kind in (wire.RETURN, wire.ERROR):
                missing.remove(answer.reply_serial)
                errors += answer.kind == wire.ERROR
    return errors


def attack(scene):
    latest = scene.witness.ask("Pasteboards1", "WaitForChange", "asta{sv}", [], (1 << 42) - 1, {
        "timeout": ("u", 0)}).values[0]
    pings = wire.call(wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")
    waits = wire.call(wire.BROKER_PATH, "org.swiftipc.Pasteboards1", "WaitForChange", "asta{sv}", [], latest, {
        "timeout": ("u", 1_000)})
    # dbus-broker counts unread answers towards a quota of the user (`Scene.most_unread`).
    count = min(scene.full(100_000, 50_000), scene.most_unread)

    def late(message):
        def work(tell):
            caller = wire.Connection(scene.path)
            tell(read(caller, calls(caller, wire.Connection(scene.path), message, count)))
        return work

    errors = children.together(late(pings), late(waits))
    scene.note(errors=[int(number) for number in errors])
