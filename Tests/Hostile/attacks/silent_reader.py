"""A caller requests 20 values of 12 MiB and reads none of them; then an honest caller requests values and reads them
all."""

import os
import time

import wire

SIZE = 12 << 20


def resident(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) // 1_024 for line in status if line.startswith("RssAnon"))


def ask(connection, count):
    return [connection.pasteboard("large", "GetItems", "a{sv}", {}) for _ in range(count)]


def read(connection, serials):
    """Reads the complete answers, in any order; returns the time in seconds."""
    began = time.monotonic()
    for serial in serials:
        answer = connection.wait(serial)
        if answer.kind != wire.RETURN or len(answer.data) < SIZE:
            raise AssertionError(f"a value did not come: {answer.text}")
    return time.monotonic() - began


def attack(scene):
    reader = scene.connect()
    reader.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "large", {"create": ("b", True)})
    reader.wait(reader.pasteboard("large", "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", os.urandom(SIZE)))]], {}))
    before = resident(scene.bus)
    silent = scene.connect()
    serials = ask(silent, 20)
    time.sleep(scene.full(6, 3))
    grown = resident(scene.bus) - before
    # dbus-broker reports no sizes that the broker could limit, and has limits of its own (I16).
    scene.expect(grown <= 32 or scene.bus.kind != "daemon", f"the bus holds {grown} MiB for a caller that does not read")
    scene.note(
        bus_held=grown, one_by_one_ms=round(1_000 * sum(read(reader, ask(reader, 1)) for _ in range(8))),
        pipelined_ms=round(1_000 * read(reader, ask(reader, 8))), late_ms=round(1_000 * read(silent, serials)))
