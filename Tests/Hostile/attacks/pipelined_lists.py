"""Four callers pipeline lists of 1,000 pasteboards, also by introspection, and read all answers."""

import time

import children
import wire
from attacks import flood_introspection

CALLERS, CALLS = 4, 32


def list_all(path, seconds):
    def work(tell):
        caller = wire.Connection(path)
        end, count = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            serials = [
                caller.call(wire.BROKER, flood_introspection.BOARDS, f"org.freedesktop.DBus.{interface}", member)
                for interface, member in (("ObjectManager", "GetManagedObjects"), ("Introspectable", "Introspect"))
                for _ in range(CALLS // 4)]
            serials += [caller.broker("Pasteboards1", "ListPasteboards", "a{sv}", {}) for _ in range(CALLS // 2)]
            for serial in serials:
                answer = caller.wait(serial, 60)
                if answer.kind == wire.ERROR:
                    raise AssertionError(answer.text)
                count += 1
        tell(str(count))
    return work


def attack(scene):
    flood_introspection.create(scene)
    lists = children.together(*(list_all(scene.path, scene.full(10, 0.5)) for _ in range(CALLERS)))
    scene.note(lists=sum(map(int, lists)))
